import { expect, test } from 'vitest';
import { endpoints } from './contract.ts';
import { apiReference } from './apiReference.ts';
import { openApiDocument } from './openapi.ts';

const document = openApiDocument({ version: '1.2.3' });
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** Every reference in a value. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => (key === '$ref' ? [String(part)] : referencesIn(part)));
}

test('the document has an operation for every endpoint', () => {
  expect(document.info.version).toBe('1.2.3');
  for (const { name, endpoint } of endpoints) {
    const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
    expect(operation, name).toBeDefined();
  }
  // The two streams of nodes are one operation there.
  expect(operations).toHaveLength(endpoints.length - 1);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
});

test('every reference leads somewhere, and every parameter of a path is declared', () => {
  const root = document as unknown as Record<string, unknown>;
  for (const reference of referencesIn(document)) {
    const steps = reference.replace('#/', '').split('/');
    const target = steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], root);
    expect(target, reference).toBeDefined();
  }
  for (const [path, methods] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    for (const { operationId, parameters = [] } of Object.values(methods)) {
      const declared = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name);
      expect(declared, operationId).toEqual(names);
    }
  }
});

test('the reference has an entry for every endpoint, and its links lead to headings', () => {
  const text = apiReference();
  const headings = new Set([...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1]?.toLowerCase()));
  for (const { name } of endpoints) expect(headings).toContain(name.toLowerCase());
  for (const [, target] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(target);
});
