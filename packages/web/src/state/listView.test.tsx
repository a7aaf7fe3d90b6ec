import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openConsole, reported, uncaught } from '../testing/openConsole.tsx';
import { type ListKind, listQuery, listsSearch, listWords } from './listView.ts';

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

it('keeps of an address only what may be the word of a list', () => {
  expect(listsSearch({ page: 2, http3Sort: 'name', redirect: '/x', tokensSearch: {}, mypage: 1 })).toEqual({
    page: 2,
    http3Sort: 'name',
  });
});

const long = 'x'.repeat(300);

it.each([
  ['/nodes?page=abc', '/nodes', 'edge'],
  ['/nodes?page=0', '/nodes', 'edge'],
  ['/nodes?page=-3', '/nodes', 'edge'],
  ['/nodes?page=1.5', '/nodes', 'edge'],
  ['/nodes?page=99999', '/nodes', 'edge'],
  ['/nodes?page=1e99', '/nodes', 'edge'],
  ['/nodes?page=%7B%22a%22%3A1%7D', '/nodes', 'edge'],
  ['/nodes?type=servers', '/nodes', 'edge'],
  ['/nodes?type=gateways&page=7', '/nodes?type=gateways', 'site'],
  ['/nodes?sort=colour&size=7', '/nodes', 'edge'],
  ['/nodes?sort=-name&size=20', '/nodes?sort=-name&size=20', 'edge'],
  ['/nodes?search=ed%00ge', '/nodes?search=edge', 'edge'],
  [`/nodes?search=${long}`, `/nodes?search=${long.slice(0, 200)}`, /^No nodes match/],
  ['/nodes?tag=0,1,2,3,4,5,6,7,8,9,a', '/nodes?tag=0,1,2,3,4,5,6,7,8,9', 'Nothing has all of these tags.'],
  ['/domains?page=99999&sort=-', '/domains', 'app.example.test'],
  ['/domains?open=abc', '/domains', 'app.example.test'],
  ['/nodes/2?tokensPage=none&httpPage=99999&tcpSort=x&other=1', '/nodes/2', 'Wiki'],
])('shows a list at %s, and the address becomes %s', async (asked, becomes, shown) => {
  const { path } = await openConsole({ path: asked });
  expect((await screen.findAllByText(shown)).length).toBeGreaterThan(0);
  const sorted = (address: string) => {
    const { pathname, searchParams } = new URL(address, 'http://console.test');
    return [pathname, ...[...searchParams].map(String).toSorted()];
  };
  await waitFor(() => expect(sorted(path())).toEqual(sorted(becomes)));
  expect([reported, uncaught]).toEqual([[], []]);
});
