import * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';
import { attribute, factsOf, withDefaults, givenOf, initialsOf, pickAttributes } from './attribute.ts';
import { field } from './field.ts';
import { check } from './problem.ts';

const attributes = {
  name: attribute.required(field.requiredText(), 'What it is called.'),
  note: attribute.optional(field.text(20)),
  port: attribute.initially(80, field.port),
  proto: attribute.initially('http', field.oneOf(['http', 'https'])),
  ips: attribute.optional(field.listOf(field.ipOrNetwork)),
};
const input = z.strictObject(givenOf(attributes));
const entity = z.object(factsOf(attributes));

describe('what may be given', () => {
  it('is the required fields alone, or all of them', () => {
    expect(check(input, { name: 'a' })).toEqual({ ok: true, value: { name: 'a' } });
    expect(check(input, {})).toEqual({ ok: false, problems: [{ field: 'name', message: 'This field is required' }] });
  });

  it.each([
    ['an empty text', { note: '' }, { note: null }],
    ['null', { note: null, port: null, ips: null }, { note: null, port: null, ips: null }],
  ])('is missing when it is %s', (_, given, value) => {
    expect(check(input, { name: 'a', ...given })).toEqual({ ok: true, value: { name: 'a', ...value } });
  });

  it('keeps the rules of each field', () => {
    const result = check(input, { name: 'a', port: 70_000, proto: 'ftp', ips: ['1.2.3'] });
    expect(result.ok ? [] : result.problems.map((problem) => problem.field)).toEqual(['port', 'proto', 'ips.0']);
  });
});

describe('what is answered', () => {
  it('is read tolerantly: other rules, and fields that are not there', () => {
    const reply = { name: '', port: 0, ips: ['anything'] };
    expect(check(entity, reply)).toEqual({ ok: true, value: { ...reply, note: null, proto: 'http' } });
    expect(check(entity, { name: 1 }).ok).toBe(false);
  });

  it('carries its description', () => {
    expect(z.toJSONSchema(entity).properties?.['name']).toMatchObject({ description: 'What it is called.' });
  });
});

it('a row starts with the initial values of what is not said', () => {
  expect(initialsOf(attributes)).toEqual({ note: null, port: 80, proto: 'http', ips: null });
  expect(withDefaults(attributes, { name: 'a', port: null, proto: 'https' })).toEqual({
    name: 'a',
    note: null,
    port: 80,
    proto: 'https',
    ips: null,
  });
});

it('of a row only what an administrator says is taken up', () => {
  const row = { id: 3, version: 2, name: 'a', port: 81 };
  expect(pickAttributes(attributes, row)).toEqual({ name: 'a', port: 81 });
});

it('refuses a schema that it does not know, when the program is loaded', () => {
  expect(() => attribute.required(z.date() as unknown as z.ZodMiniType)).toThrow('An attribute is');
});
