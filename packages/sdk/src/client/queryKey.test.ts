import { expect, test } from 'vitest';
import { groupKey, queryKey } from './queryKey.ts';

test('a key begins with the group and the verb, so that a group can be invalidated as a whole', () => {
  expect(queryKey('node.list', { query: { page: 1 } })).toEqual(['node', 'list', { query: { page: 1 } }]);
  expect(queryKey('node.list')).toEqual(['node', 'list']);
  expect(groupKey('node')).toEqual(['node']);
});

test('equal inputs make equal keys, whatever the order and whatever is undefined', () => {
  const one = queryKey('node.list', { query: { page: 1, limit: 10, search: undefined } });
  const other = queryKey('node.list', { query: { limit: 10, page: 1 } });
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  expect(Object.keys(one[2].query ?? {})).toEqual(['limit', 'page']);
});

test('different inputs make different keys', () => {
  const keys = [1, 2].map((id) => JSON.stringify(queryKey('node.get', { params: { id } })));
  expect(new Set(keys).size).toBe(2);
});
