import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { choose, openConsole, openMenu, signIn, press, type } from '../../testing/openConsole.tsx';

const rowOf = async (name: string) => {
  const row = (await screen.findByRole('link', { name })).closest('tr');
  if (!row) throw new Error(`${name} is not in a row`);
  return within(row);
};

it('shows status, name, type, handshake and traffic, and no status for the local node', async () => {
  const { gateway, ids } = await openConsole({ path: '/nodes' });
  const site = await rowOf('site');
  expect(site.getByText('Gateway')).toBeDefined();
  // No host has joined it yet, which is no fault.
  expect(site.getByText('Waiting for first connection')).toBeDefined();
  expect((await rowOf('Local')).getAllByRole('cell')[0]?.textContent).toBe('Status');

  // The stream brings it without another call.
  gateway.world.setNodeRuntime(ids.siteId, {
    status: 'online',
    latestHandshakeTimestamp: Date.now() - 150_000,
    transferRx: 1536,
  });
  await waitFor(() => expect(site.getByText('Online')).toBeDefined());
  expect(site.getByText('2 minutes ago')).toBeDefined();
  expect(site.getByText('1.50 KB')).toBeDefined();
});

it('filters by the chips and keeps the filter in the address', async () => {
  const { path } = await openConsole({ path: '/nodes' });
  await rowOf('edge');
  fireEvent.click(screen.getByRole('radio', { name: 'Gateways' }));
  await waitFor(() => expect(screen.queryByRole('link', { name: 'edge' })).toBeNull());
  expect(path()).toBe('/nodes?type=gateways');
  await rowOf('site');
  fireEvent.click(screen.getByRole('radio', { name: 'View All' }));
  await rowOf('edge');
  expect(path()).toBe('/nodes');
});

it('offers every action, and for the local node only those that it allows', async () => {
  await openConsole({ path: '/nodes' });
  const labels = async (name: string) =>
    (await openMenu(name)).map((item) => item.querySelector('span span')?.textContent);
  expect(await labels('edge')).toEqual([
    'View Node Details',
    'Edit Node',
    'Expose HTTP',
    'Expose TCP',
    'Download Config',
    'Disconnect',
    'Delete Node',
  ]);
  fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  expect(await labels('Local')).toEqual(['View Node Details', 'Expose HTTP', 'Expose TCP']);
});

it('leads from a row to its node, and saves its configuration', async () => {
  const { answer, ids, path } = await openConsole({ path: '/nodes' });
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementationOnce(function click(this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  answer(`GET /api/nodes/${ids.edgeId}/download`, () => new Response('[Interface]'));
  await choose('edge', 'Download Config');
  // The gateway has named no file.
  await waitFor(() => expect(saved).toEqual(['config.conf']));
  vi.restoreAllMocks();
  await choose('edge', 'View Node Details');
  await screen.findByRole('region', { name: 'Node Access Tokens' });
  expect(path()).toBe(`/nodes/${ids.edgeId}`);
});

it('disconnects and connects a node after a question', async () => {
  await openConsole({ path: '/nodes' });
  await choose('edge', 'Disconnect');
  const question = await screen.findByRole('alertdialog', { name: 'Disconnect node' });
  expect(question.textContent).toContain('Are you sure you want to keep disconnected this node?');
  expect(question.textContent).toContain('edge');
  await press('Yes, disconnect!');
  await screen.findByText('Node disconnected successfully!');
  const edge = await rowOf('edge');
  await waitFor(() => expect(edge.getByText('Disabled')).toBeDefined());

  await choose('edge', 'Connect');
  const again = await screen.findByRole('alertdialog', { name: 'Connect node' });
  expect(again.textContent).toContain('Are you sure you want to keep connected this node?');
  await press('Yes, connect!');
  await screen.findByText('Node connected successfully!');
  await waitFor(() => expect(edge.queryByText('Disabled')).toBeNull());
});

it('deletes a node only when the question is accepted', async () => {
  const { requests, ids } = await openConsole({ path: '/nodes' });
  await choose('edge', 'Delete Node');
  await screen.findByText('Are you sure you want to delete this node? This action cannot be undone.');
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete node' }));
  await question.findByText(/Its domains stay, and other nodes can take those that are not reserved\./);
  await question.findByText('HTTP services: Wiki');
  await question.findByText('Access tokens: default');
  const cancel = question.getByRole('button', { name: 'Cancel' });
  await waitFor(() => expect(document.activeElement).toBe(cancel));
  fireEvent.keyDown(cancel, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(requests).not.toContain(`DELETE /api/nodes/${ids.edgeId}`);

  await choose('edge', 'Delete Node');
  await press('Yes, delete it!');
  await screen.findByText('Node deleted successfully!');
  await waitFor(() => expect(screen.queryByRole('link', { name: 'edge' })).toBeNull());
});

it('shows a name that is markup as text', async () => {
  const { connection } = await openConsole({ path: '/nodes' });
  const name = '<img src=x onerror=alert(1)>';
  await connection.client.node.create({ body: { name } });
  expect((await screen.findByRole('link', { name })).textContent).toBe(name);
});

it('searches on the gateway, also in the stream, and says when nothing is found', async () => {
  const { gateway, path, requests, ids } = await openConsole({ path: '/nodes?type=nodes' });
  await rowOf('edge');
  await type('Search nodes', 'ed');
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Local' })).toBeNull());
  expect(path()).toBe('/nodes?type=nodes&search=ed');
  await waitFor(() => expect(requests).toContain('GET /api/nodes/stream?page=1&limit=10&search=ed&type=nodes'));
  gateway.world.setNodeRuntime(ids.edgeId, { status: 'idle' });
  const edge = await rowOf('edge');
  await waitFor(() => expect(edge.getByText('Idle')).toBeDefined());

  await type('Search nodes', 'nowhere');
  await screen.findByText('No nodes match');
  expect(screen.queryByText('No nodes yet')).toBeNull();
  fireEvent.click(screen.getAllByRole('button', { name: 'Clear search' }).at(-1) ?? document.body);
  await rowOf('Local');
  expect([path(), screen.getByLabelText<HTMLInputElement>('Search nodes').value]).toEqual(['/nodes?type=nodes', '']);
});

it('shows a column for each fact of a node', async () => {
  await openConsole({ path: '/nodes' });
  await rowOf('edge');
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Status',
    'Name',
    'Type',
    'Latest Handshake',
    'Received',
    'Transmitted',
    'Actions',
  ]);
  const kindOf = async (name: string) => (await rowOf(name)).getAllByRole('cell')[2]?.textContent;
  expect(await Promise.all(['Local', 'edge', 'site'].map(kindOf))).toEqual(['TypeLocal', 'TypeNode', 'TypeGateway']);
  expect(screen.getAllByRole('radio').map((chip) => chip.closest('label')?.textContent)).toEqual([
    'View All',
    'Nodes',
    'Gateways',
  ]);
});

it('is empty with a way to begin', async () => {
  const { connection, ids } = await openConsole({ path: '/nodes?type=gateways' });
  await rowOf('site');
  await connection.client.node.remove({ params: { id: ids.siteId } });
  await screen.findByText('No gateways yet');
  expect(screen.getByText(/^A node is a host that dials out/)).toBeDefined();
  await press('Add Node');
  expect(await screen.findByRole('dialog', { name: 'Client / Node Configuration' })).toBeDefined();
});

it('says on the row of an offline node why it is offline', async () => {
  const { gateway, ids } = await openConsole({ path: '/nodes' });
  const edge = await rowOf('edge');
  expect(edge.getByText('Waiting for first connection')).toBeDefined();
  gateway.world.setNodeRuntime(ids.edgeId, { latestHandshakeTimestamp: Date.now() - 7_260_000 });
  await edge.findByText('Its host is silent');
  gateway.world.setNodeRuntime(ids.edgeId, { status: 'online', latestHandshakeTimestamp: Date.now() });
  await waitFor(() => expect(edge.queryByText('Its host is silent')).toBeNull());
  // The local node has no tunnel to be without.
  expect((await rowOf('Local')).queryByText('Waiting for first connection')).toBeNull();
});

it('says once, above the rows, that the tunnel is off', async () => {
  const { gateway, router, connection, ids } = await openConsole({ path: '/login', session: 'none' });
  gateway.world.setUnavailable([{ feature: 'tunnel', reason: 'WireGuard is not installed.', fix: 'Install it.' }]);
  await signIn();
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  await router.navigate({ to: '/nodes' });
  const edge = await rowOf('edge');
  const note = (await screen.findByText(/^The tunnel of this gateway is off\./)).closest('[role=status]');
  expect(note?.textContent).toBe('The tunnel of this gateway is off. Set up');
  expect(note?.querySelector('a')?.getAttribute('href')).toBe('/settings/features');
  const isOpen = () => edge.getByRole('button', { name: 'Actions of edge' }).getAttribute('aria-expanded');
  expect(isOpen()).toBe('false');
  await openMenu('edge');
  expect(isOpen()).toBe('true');
  const download = screen.getByRole('menuitem', { name: /^Download Config/ });
  expect(download.textContent).toBe('Download ConfigThe tunnel is off.');
  expect(edge.queryByText(/^The tunnel is off$|silent/)).toBeNull();
  fireEvent.keyDown(download, { key: 'Escape' });
  // One that was disconnected on purpose says that instead.
  await connection.client.node.disable({ params: { id: ids.edgeId } });
  await edge.findByText('Disabled');
  fireEvent.click(screen.getByRole('link', { name: 'site' }));
  const reason = await screen.findByText('The host cannot connect: the tunnel is off');
  expect(reason.closest('[role=status]')?.textContent).toContain('Set up');
});
