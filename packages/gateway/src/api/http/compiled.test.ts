import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { check, endpoints, pageOf } from '@sallyport/sdk/contract';
import { compiled } from './compiled.ts';

const row = z.object({
  id: z.int(),
  nested: z.array(z.object({ name: z.string() })),
  fact: z._default(z.nullable(z.string()), null),
});
const value = {
  data: [{ id: 1, secret: 'x', nested: [{ name: 'a', secret: 'y' }] }],
  page: 1,
  limit: 10,
  total: 1,
  secret: 'z',
};

it('lets through what the schema names and nothing else, at any depth', () => {
  const result = check(compiled(pageOf(row)), value);
  expect(result).toEqual(check(pageOf(row), value));
  expect(JSON.stringify(result)).not.toContain('secret');
});

it('refuses what the schema refuses, with the same words', () => {
  const wrong = { ...value, data: [{ id: 'one', nested: [{ name: 2 }] }] };
  const result = check(compiled(pageOf(row)), wrong);
  expect(result).toEqual(check(pageOf(row), wrong));
  expect(result.ok).toBe(false);
});

it('takes every reply and event of the contract', () => {
  for (const { endpoint } of endpoints) {
    if (endpoint.kind === 'file') continue;
    const schema = endpoint.kind === 'stream' ? endpoint.event : endpoint.reply;
    for (const sample of [null, [], {}, 'text', { data: [{}] }]) {
      expect(check(compiled(schema), sample)).toEqual(check(schema, sample));
    }
  }
});
