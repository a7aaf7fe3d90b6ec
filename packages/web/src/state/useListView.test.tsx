import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openConsole, reported, uncaught } from '../testing/openConsole.tsx';

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
