import { SHARED_STREAM_PATH } from '@sallyport/sdk/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { toasts } from '../../state/toasts.ts';
import {
  choose,
  openConsole,
  openMenu,
  press,
  reported,
  signIn,
  streamsIn,
  uncaught,
} from '../../testing/openConsole.tsx';

it('stays closed when the stream breaks off, says so, and goes on when asked', async () => {
  const { answer, requests, ids, gateway } = await openConsole({ path: '/' });
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  answer('GET /api/nodes/stream', () => Promise.reject(new TypeError('connection reset')));
  (await screen.findByRole('link', { name: 'Client / Nodes' })).click();
  await screen.findByRole('link', { name: 'edge' });
  // The list's own stream takes that answer and comes back; the node's never does by itself.
  await waitFor(() => expect(requests.join(' ')).toContain('GET /api/nodes/stream?'));
  requests.length = 0;
  answer(`GET ${SHARED_STREAM_PATH}`, () => Promise.reject(new TypeError('connection reset')));
  screen.getByRole('link', { name: 'edge' }).click();
  await screen.findByText('Live updates have stopped.');
  const streams = () => streamsIn(requests).filter((path) => path === `/api/nodes/stream?id=${ids.edgeId}`).length;
  const before = streams();
  await press('Resume');
  await waitFor(() => expect(screen.queryByText('Live updates have stopped.')).toBeNull());
  await waitFor(() => expect(streams()).toBe(before + 1));
  gateway.world.setNodeRuntime(ids.edgeId, { status: 'idle' });
  await screen.findByText('Idle');
  // Logged, and nothing else.
  expect([reported.length > 0, uncaught, toasts.get()]).toEqual([true, [], []]);
});

it.each(['9999', 'abc', '0'])('says that there is no node %s, with the way back', async (id) => {
  await openConsole({ path: `/nodes/${id}` });
  await screen.findByText(`There is no node ${id}`);
  expect(screen.getByRole('link', { name: 'Back to Client / Nodes' }).getAttribute('href')).toBe('/nodes');
});

const factsOf = () =>
  Object.fromEntries(
    [...document.querySelectorAll('dt')].map((term) => [term.textContent, term.nextElementSibling?.textContent]),
  );

it('tells the facts of a gateway, under the way back to the list', async () => {
  const { gateway, connection, ids } = await openConsole({ path: '/nodes/3' });
  await screen.findByRole('heading', { name: 'site' });
  const way = screen.getByRole('navigation', { name: 'Breadcrumb' });
  const steps = [...way.querySelectorAll('li')];
  expect(steps.map(({ textContent }) => textContent)).toEqual(['Client / Nodes', 'site']);
  expect(within(way).getByRole('link', { name: 'Client / Nodes' })).toHaveProperty('pathname', '/nodes');
  expect(steps.map((step) => step.getAttribute('aria-current'))).toEqual([null, 'page']);
  expect([screen.getByText('Gateway'), screen.getByText('Waiting for first connection')]).toHaveLength(2);
  const { address } = await connection.client.node.get({ params: { id: ids.siteId } });
  expect(factsOf()).toEqual({
    'IP address': address,
    Subnet: '192.0.2.0/24',
    'Client IP': '-',
    'Latest Handshake': '-',
    Transmitted: '-',
    Received: '-',
    'Send all internet traffic through the VPN': 'No',
  });
  gateway.world.setNodeRuntime(ids.siteId, {
    status: 'online',
    transferTx: 2048,
    transferRx: 5,
    clientIp: '203.0.113.77',
    latestHandshakeTimestamp: Date.now() - 150_000,
  });
  await connection.client.node.update({ params: { id: ids.siteId }, body: { allowInternet: true } });
  await screen.findByText('Yes');
  expect(screen.getByText('Online')).toBeDefined();
  expect(factsOf()).toMatchObject({
    'Client IP': '203.0.113.77',
    'Latest Handshake': '2 minutes ago',
    Transmitted: '2.00 KB',
    Received: '5 Bytes',
  });
});

it.each(['Disconnect', 'Connect'])('offers Edit Node, Download Config, %s and Delete Node', async (toggle) => {
  const { connection, ids } = await openConsole({ path: '/nodes/2' });
  await screen.findByRole('heading', { name: 'edge' });
  if (toggle === 'Connect') await connection.client.node.disable({ params: { id: ids.edgeId } });
  if (toggle === 'Connect') await screen.findByText('Disabled');
  const items = (await openMenu('edge')).map((item) => item.querySelector('span span')?.textContent);
  expect(items).toEqual(['Edit Node', 'Download Config', toggle, 'Delete Node']);
  expect(screen.queryByText('Gateway')).toBeNull();
  expect(factsOf()).not.toHaveProperty('Subnet');
});

it('has the services first, then the facts and the access tokens', async () => {
  await openConsole({ path: '/nodes/2' });
  await screen.findByRole('region', { name: 'Node Access Tokens' });
  const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
  expect(titles).toEqual(['HTTP Services', 'TCP Services', 'Node Access Tokens']);
  const facts = screen.getByText('Client IP');
  const services = screen.getByRole('region', { name: 'TCP Services' });
  expect(services.compareDocumentPosition(facts)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  const wiki = await within(screen.getByRole('region', { name: 'HTTP Services' })).findByRole('link', { name: 'Wiki' });
  expect(wiki.getAttribute('href')).toMatch(/^\/nodes\/2\/http\/\d+$/);
});

it('leads to the list once the node was deleted from here', async () => {
  const { path } = await openConsole({ path: '/nodes/2' });
  await screen.findByRole('heading', { name: 'edge' });
  await choose('edge', 'Delete Node');
  await press('Yes, delete it!');
  await waitFor(() => expect(path()).toBe('/nodes'));
  expect(screen.queryByText('edge was deleted')).toBeNull();
});

it('has only the address of the local node, and its services', async () => {
  await openConsole({ path: '/nodes/1' });
  await screen.findByRole('region', { name: 'HTTP Services' });
  expect(screen.getByRole('region', { name: 'TCP Services' })).toBeDefined();
  expect(Object.keys(factsOf())).toEqual(['IP address']);
  expect(screen.queryByRole('button', { name: 'Actions of Local' })).toBeNull();
});

const NAMELESS = { feature: 'publicName', reason: 'Hosts are told "debian".', fix: 'Set SALLYPORT_VPN_HOST.' };
it.each([
  ['a name that others may not know', 'debian', [NAMELESS]],
  // Without a tunnel no host is told.
  ['the machine of each host itself', 'localhost', []],
])('names the missing setting instead of a command and a line that lead to %s', async (_, host, unavailable) => {
  const { answer, router } = await openConsole({ path: '/login', session: 'none' });
  for (let asked = 0; asked < 3; asked += 1) {
    answer('GET /api/config', () => Response.json({ VPN_HOST: host, CONSOLE_URL: null, unavailable }));
  }
  await signIn();
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  await router.navigate({ to: '/nodes/$id', params: { id: '2' } });
  const alert = (await screen.findByText('There is no command yet')).parentElement;
  expect(alert?.textContent).toMatch(/the gateway does not know .*Enter that under Settings/);
  expect(screen.queryByText('The host may not find this gateway')).toBeNull();
  expect(document.body.textContent).not.toContain('sallyport connect --url');
  expect(screen.queryByRole('button', { name: 'Show One Line for a New Host' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Download Config' })).toBeNull();
});

it('says why the node is offline, and what to do about it', async () => {
  const { answer, gateway, ids, connection } = await openConsole({ path: '/nodes/2' });
  await screen.findByText('Not joined yet');
  expect(screen.getByText('Waiting for first connection')).toBeDefined();
  const command = await screen.findByRole('region', { name: 'Join command' });
  // This page is open on loopback, which no host could use.
  expect(command.textContent).toBe('sudo sallyport connect --url=https://vpn.example.test:9443');
  await connection.client.node.update({ params: { id: ids.edgeId }, body: { allowInternet: true } });
  await waitFor(() => expect(command.textContent).toMatch(/ --allow-internet$/));
  const save = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementationOnce(() => undefined);
  answer(`GET /api/nodes/${ids.edgeId}/download`, () => new Response('[Interface]'));
  await press('Download Config');
  await waitFor(() => expect(save).toHaveBeenCalledOnce());
  save.mockRestore();
  gateway.world.setNodeRuntime(ids.edgeId, { latestHandshakeTimestamp: Date.now() - 7_260_000 });
  const silent = await screen.findByText('Its host is silent');
  expect(silent.parentElement?.textContent).toMatch(/Last heard 2 hours ago. Look whether it is up/);
  gateway.world.setNodeRuntime(ids.edgeId, { status: 'idle', latestHandshakeTimestamp: Date.now() });
  await waitFor(() => expect(screen.queryByText('Its host is silent')).toBeNull());
});

it('says that the node was deleted while it was looked at, and leads back', async () => {
  const { gateway, ids } = await openConsole({ path: '/nodes/3' });
  await screen.findByRole('heading', { name: 'site' });
  await gateway.fetch(`/api/nodes/${ids.siteId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${await gateway.signIn()}` },
  });
  await screen.findByRole('heading', { name: 'site was deleted' });
  expect(screen.getByRole('link', { name: 'Back to Client / Nodes' }).getAttribute('href')).toBe('/nodes');
  expect(screen.queryByText('Live updates have stopped.')).toBeNull();
  expect(screen.queryByRole('region', { name: 'HTTP Services' })).toBeNull();
  expect(document.title).toMatch(/site was deleted · Sallyport$/);
});
