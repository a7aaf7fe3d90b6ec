import { expect, it } from 'vitest';
import { listQuery, listsSearch, listWords, type ListKind } from './listView.ts';

const nodes: ListKind<'name' | 'created_at'> = { name: '', columns: ['name', 'created_at'], size: 10 };
const tokens: ListKind<'name'> = { name: 'tokens', columns: ['name'], size: 5 };

it('asks for the first page of the usual size when the address says nothing', () => {
  expect(listQuery(nodes, {})).toEqual({ page: 1, limit: 10 });
  expect(listQuery(tokens, { page: 3, search: 'x' })).toEqual({ page: 1, limit: 5 });
});

it('reads what it has written, each list its own words', () => {
  const query = { page: 3, limit: 50, orderBy: 'created_at,desc', search: 'ed ge' } as const;
  const words = { ...listWords(nodes, query), ...listWords(tokens, { page: 2, limit: 5, search: '7' }) };
  expect(words).toMatchObject({ page: 3, size: 50, sort: '-created_at', search: 'ed ge', tokensPage: 2 });
  expect(listsSearch(words)).toEqual({
    page: 3,
    size: 50,
    sort: '-created_at',
    search: 'ed ge',
    tokensPage: 2,
    tokensSearch: '7',
  });
  expect(listQuery(nodes, words)).toEqual(query);
  expect(listQuery(tokens, words)).toEqual({ page: 2, limit: 5, search: '7' });
});

it('leaves out of the address what is as usual', () => {
  expect(Object.values(listWords(nodes, { page: 1, limit: 10 }))).toEqual([undefined, undefined, undefined, undefined]);
});

it.each([
  { page: 0 },
  { page: -2 },
  { page: 1.5 },
  { page: 'two' },
  { page: 2_000_000 },
  { size: 7 },
  { size: 1_000_000 },
  { sort: 'password' },
  { sort: '--name' },
])('takes no notice of %j', (search) => {
  expect(listQuery(nodes, search as Record<string, string | number>)).toEqual({ page: 1, limit: 10 });
});

it('keeps no more of a text than the gateway takes, and a number as a text', () => {
  expect(listQuery(nodes, { search: 'x'.repeat(500) }).search).toHaveLength(200);
  expect(listQuery(nodes, { search: 42 }).search).toBe('42');
});

it('keeps of an address only what may be the word of a list', () => {
  expect(listsSearch({ page: 2, http3Sort: 'name', redirect: '/x', tokensSearch: {}, mypage: 1 })).toEqual({
    page: 2,
    http3Sort: 'name',
  });
});
