import { expect, it } from 'vitest';
import { safePath } from './safePath.ts';

it.each(['/', '/nodes', '/nodes/3?page=2#x', '/domains/app.example.test/logs', '/loginish'])('keeps %s', (path) => {
  expect(safePath(path)).toBe(path);
});

it.each([
  undefined,
  null,
  7,
  '',
  'nodes',
  'https://elsewhere.test/',
  'javascript:alert(1)',
  '//elsewhere.test/',
  '/\\elsewhere.test',
  '/nodes\\..\\..',
  '/nodes//elsewhere.test',
  '/\t/elsewhere.test',
  '/\n/elsewhere.test',
  '/ /elsewhere.test',
  '/login',
  '/login?redirect=/login',
])('goes home instead of to %j', (path) => {
  expect(safePath(path)).toBe('/');
});
