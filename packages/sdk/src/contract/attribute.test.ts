import * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';
import { attribute, factsOf, withDefaults, givenOf, initialsOf, pickAttributes } from './attribute.ts';
import { field } from './field.ts';
import { check } from './problem.ts';
import { soundRows } from './soundRow.ts';

const attributes = {
  name: attribute.required(field.requiredText(), 'What it is called.'),
  note: attribute.optional(field.text(20)),
  port: attribute.initially(80, field.port),
  proto: attribute.initially('http', field.oneOf(['http', 'https'])),
  ips: attribute.optional(field.listOf(field.ipOrNetwork)),
  limit: attribute.optional(
    field.object({
      rate: field.integer(1, 100).check(z.meta({ description: 'How often.' })),
      hard: z.optional(field.boolean),
    }),
    'How often it may be asked.',
  ),
  plain: attribute.defaulted(false, field.boolean),
  address: attribute.assigned(field.ipv4),
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
    [
      'null',
      { note: null, port: null, ips: null, limit: null, address: null },
      { note: null, port: null, ips: null, limit: null, address: null },
    ],
    ['an object of which nothing was filled in', { limit: { rate: null, hard: false } }, { limit: null }],
    ['a part of an object', { limit: { rate: 5, hard: null } }, { limit: { rate: 5 } }],
  ])('takes for nothing %s', (_, given, value) => {
    expect(check(input, { name: 'a', ...given })).toEqual({ ok: true, value: { name: 'a', ...value } });
  });

  it.each([
    ['nonsense', null],
    ['5', ''],
  ])('does not take for nothing what it does not know: %s', (name, value) => {
    const result = check(input, { name: 'a', limit: { [name]: value } });
    expect(result.ok ? [] : result.problems.map((problem) => problem.field)).toContain(`limit.${name}`);
  });

  it('keeps the rules of each field', () => {
    const result = check(input, {
      name: 'a',
      port: 70_000,
      proto: 'ftp',
      ips: ['1.2.3'],
      limit: { rate: 101, more: 1 },
      plain: null,
    });
    const fields = result.ok ? [] : result.problems.map((problem) => problem.field);
    expect(fields).toEqual(['port', 'proto', 'ips.0', 'limit.rate', 'limit.more', 'plain']);
    expect(check(input, { name: 'a', limit: { hard: true } })).toEqual({
      ok: false,
      problems: [{ field: 'limit.rate', message: 'This field is required' }],
    });
  });
});

describe('what is answered', () => {
  it('is read tolerantly: other rules, and fields that are not there', () => {
    const reply = { name: '', port: 0, ips: ['anything'], limit: { rate: 1000 }, address: 'anything' };
    expect(check(entity, { ...reply, limit: { rate: 1000, more: 1 } })).toEqual({
      ok: true,
      value: { ...reply, note: null, proto: 'http', plain: false },
    });
    expect(check(entity, { ...reply, name: 1 }).ok).toBe(false);
    expect(check(entity, { ...reply, address: null }).ok).toBe(false);
  });

  it('carries its description', () => {
    const { properties } = z.toJSONSchema(entity);
    expect(properties?.['name']).toMatchObject({ description: 'What it is called.' });
    expect(properties?.['limit']).toMatchObject({
      description: 'How often it may be asked.',
      anyOf: [{ properties: { rate: { description: 'How often.' } } }, { type: 'null' }],
    });
  });
});

it('a row starts with the initial values of what is not said', () => {
  const initials = { note: null, port: 80, proto: 'http', ips: null, limit: null, plain: false, address: null };
  expect(initialsOf(attributes)).toEqual(initials);
  const said = { name: 'a', proto: 'https', limit: { rate: 5 } };
  expect(withDefaults(attributes, { ...said, port: null })).toEqual({ ...initials, ...said });
});

it('a form shows nothing in each part of an object that is not there', () => {
  expect(attributes.limit.blank).toEqual({ rate: null, hard: false });
});

it('a damaged object is taken for none', () => {
  const row = { name: 'a', limit: { rate: 'often' } };
  expect(soundRows(entity)(row)).toEqual({ row: { name: 'a', limit: null }, damaged: ['limit'] });
  expect(soundRows(z.object({ limit: attribute.required(field.object({ rate: field.port })).fact }))(row).row).toEqual({
    name: 'a',
    limit: { rate: 0 },
  });
});

it('of a row only what an administrator says is taken up', () => {
  const row = { id: 3, version: 2, name: 'a', port: 81 };
  expect(pickAttributes(attributes, row)).toEqual({ name: 'a', port: 81 });
});

it('refuses a schema that it does not know, when the program is loaded', () => {
  expect(() => attribute.required(z.date() as unknown as z.ZodMiniType)).toThrow('An attribute is');
});
