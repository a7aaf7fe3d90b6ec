import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, openConsole, openMenu, press, refusal, type } from '../../testing/openConsole.tsx';

const rowOf = async (name: string) => {
  const row = (await screen.findByRole('link', { name })).closest('tr');
  if (!row) throw new Error(`${name} is not in a row`);
  return within(row);
};
const shownNames = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[2]?.textContent);

/** The console at the list, with a TCP and a UDP service next to what is seeded. */
async function openServices(path = '/services') {
  const opened = await openConsole({ path: '/login', session: 'none' });
  opened.gateway.clock.advance(1000);
  const token = await opened.gateway.signIn();
  const create = async (nodeId: number, kind: string, body: object) => {
    const init = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) };
    const reply = await opened.gateway.fetch(`/api/services/${nodeId}/${kind}`, init);
    if (!reply.ok) throw new Error(await reply.text());
  };
  await create(1, 'tcp', { name: 'Broker', backendHost: '127.0.0.1', backendPort: 1883, allowedIps: ['192.0.2.1'] });
  await create(opened.ids.siteId, 'tcp', { name: 'Radio', proto: 'udp', backendHost: '192.0.2.7', backendPort: 5000 });
  await opened.connection.session.signIn({ username: 'admin', password: 'correct horse battery' });
  await opened.router.navigate({ to: path });
  return opened;
}

it('shows the services of both kinds and all nodes, each with its state, address, node, backend and access', async () => {
  const { ids, gateway } = await openServices();
  const broker = await rowOf('Broker');
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Select',
    'Status',
    'Name',
    'Address',
    'Node',
    'Backend',
    'Access',
    'Last request',
    'Actions',
  ]);
  expect(broker.getByText('Up')).toBeDefined();
  expect(broker.getByText('None yet')).toBeDefined();
  expect(broker.getByText('Only 192.0.2.1')).toBeDefined();
  expect(broker.getByText('tcp://127.0.0.1:1883')).toBeDefined();
  expect(broker.getByRole('button', { name: 'Copy the public address of Broker' })).toBeDefined();
  const wiki = await rowOf('Wiki');
  const edge = await gateway.store.nodes.get(ids.edgeId);
  expect(wiki.getByText(`http://${edge?.address}:80`)).toBeDefined();
  expect(wiki.getByRole('link', { name: 'edge' }).getAttribute('href')).toBe(`/nodes/${ids.edgeId}`);
  expect(wiki.getByRole('link', { name: 'Wiki' }).getAttribute('href')).toBe(`/nodes/${ids.edgeId}/http/${ids.wikiId}`);
  expect(wiki.getByText('Everyone')).toBeDefined();
});

it('says in words how a service is, and why', async () => {
  const { gateway, connection, ids } = await openServices();
  const radio = await rowOf('Radio');
  expect(radio.queryByText('Up')).toBeNull();
  gateway.backends.set('127.0.0.1:9090', 'Nothing listens on 127.0.0.1:9090.');
  const params = { nodeId: 1, id: ids.appId };
  await connection.client.httpService.update({ params, body: { backendPort: 9090 } });
  await connection.client.tcpService.disable({ params: { nodeId: 1, id: 1 } });
  await choose('Radio', 'Disable Access');
  await press('Yes, disable public access!');
  // What was changed elsewhere is there with it.
  await waitFor(() => expect(radio.getByText('Closed')).toBeDefined());
  expect(radio.getByText(/^(?:on \S+ )?at \d\d:\d\d by an administrator$/)).toBeDefined();
  const app = await rowOf('App');
  expect(app.getByText('Down')).toBeDefined();
  expect(app.getByText('Nothing listens on 127.0.0.1:9090.')).toBeDefined();
  expect((await rowOf('Broker')).getByText('Closed')).toBeDefined();
});

it('narrows the list down on the gateway, and keeps that in the address', async () => {
  const { path, ids, requests } = await openServices();
  await rowOf('App');
  fireEvent.click(screen.getByRole('radio', { name: 'UDP' }));
  await waitFor(() => expect(shownNames()).toEqual(['Radio']));
  expect(path()).toBe('/services?kind=udp');
  fireEvent.click(screen.getByRole('radio', { name: 'All' }));
  await press('Filters');
  await screen.findByRole('option', { name: 'site' });
  fireEvent.change(screen.getByLabelText('Node'), { target: { value: String(ids.siteId) } });
  await waitFor(() => expect(shownNames()).toEqual(['Radio']));
  fireEvent.change(screen.getByLabelText('Status'), { target: { value: 'closed' } });
  await screen.findByText('No services match');
  expect(path()).toBe(`/services?node=${ids.siteId}&status=closed`);
  expect(requests.findLast((request) => request.startsWith('GET /api/services?'))).toBe(
    `GET /api/services?page=1&limit=50&status=closed&nodeId=${ids.siteId}`,
  );
  fireEvent.click(screen.getAllByRole('button', { name: 'Clear filters' }).at(-1) ?? document.body);
  await rowOf('App');
  expect(path()).toBe('/services');
});

it.each([
  ['kind', 'udp', 'proto=udp'],
  ['status', 'closed', 'status=closed'],
  ['access', 'list', 'access=list'],
  ['node', '2', 'nodeId=2'],
  ['domain', 'app.example.test', 'domain=app.example.test'],
  ['tag', 'lab', 'tag=lab'],
])(
  'has the filter %s in its address, keeps it over a reload and asks the gateway for it',
  async (name, value, asked) => {
    const { path, requests, openTab, connection, ids } = await openServices();
    await connection.client.httpService.update({ params: { nodeId: 1, id: ids.appId }, body: { tags: ['lab'] } });
    const [label = '', ...letters] = name;
    if (name === 'kind') fireEvent.click(await screen.findByRole('radio', { name: value.toUpperCase() }));
    else {
      await press('Filters');
      const choice = await screen.findByLabelText(label.toUpperCase() + letters.join(''));
      await within(choice).findByRole('option', {
        name: (_name, option) => (option as HTMLOptionElement).value === value,
      });
      fireEvent.change(choice, { target: { value } });
    }
    await waitFor(() => expect(path()).toBe(`/services?${name}=${value}`));
    const wasAsked = () =>
      waitFor(() => expect(requests.findLast((request) => request.startsWith('GET /api/services?'))).toContain(asked));
    await wasAsked();
    requests.length = 0;
    expect((await openTab(path())).path()).toBe(`/services?${name}=${value}`);
    await wasAsked();
    expect(screen.queryByRole('button', { name: 'Filters (1)' }) !== null).toBe(name !== 'kind');
  },
);

it('is found again by its address, whose words that mean nothing count for nothing', async () => {
  await openServices('/services?access=list&status=fine&node=-1&domain=&sort=-name');
  await rowOf('Broker');
  expect(shownNames()).toEqual(['Broker']);
  expect(screen.getByRole('button', { name: 'Filters (1)' }).getAttribute('aria-expanded')).toBe('true');
  expect(screen.getByLabelText<HTMLSelectElement>('Access').value).toBe('list');
});

it('searches on the gateway, also by the name of a node', async () => {
  const { path } = await openServices();
  await rowOf('App');
  await type('Search services', 'site');
  await waitFor(() => expect(shownNames()).toEqual(['Radio']));
  expect(path()).toBe('/services?search=site');
  await type('Search services', 'nowhere');
  await screen.findByText('No services match');
});

it('is in order of name, address or node', async () => {
  await openServices();
  await rowOf('App');
  fireEvent.click(screen.getByRole('button', { name: 'Name' }));
  await waitFor(() => expect(shownNames()).toEqual(['App', 'Broker', 'Radio', 'Sallyport console', 'Wiki']));
  fireEvent.click(screen.getByRole('button', { name: 'Node' }));
  await waitFor(() => expect(shownNames()[0]).toBe('Wiki'));
});

it('offers what the page of the node offers, editing included', async () => {
  const { connection, ids } = await openServices();
  await rowOf('Wiki');
  expect((await openMenu('Wiki')).map(({ textContent }) => textContent)).toEqual([
    'Info',
    'Logs Monitor',
    'Edit Service',
    'Go to node',
    'Disable Access',
    'Delete Service',
  ]);
  fireEvent.click(screen.getByRole('menuitem', { name: 'Edit Service' }));
  await dialog('Expose HTTP Service on Node');
  await type(/^Service Name/, 'Handbook');
  await press('Save');
  const published = await dialog('Your Service is Not Publicly Available');
  fireEvent.click(within(published).getAllByRole('button', { name: 'Close' })[0] ?? published);
  await rowOf('Handbook');
  const { name } = await connection.client.httpService.get({ params: { nodeId: ids.edgeId, id: ids.wikiId } });
  expect(name).toBe('Handbook');
});

it('says that it could not be read, and reads it again when asked', async () => {
  const { answer, router } = await openServices('/nodes');
  answer('GET /api/services', () => refusal(500, { message: 'no' }));
  await router.navigate({ to: '/services' });
  await screen.findByText('Services could not be read');
  await press('Try Again');
  await rowOf('App');
  expect(screen.queryByText('Services could not be read')).toBeNull();
});

it('says when the last request came, as seen from now', async () => {
  const { gateway, ids } = await openServices('/nodes');
  const at = new Date(Date.now() - 3 * 60_000 - 1000);
  gateway.system.logs.push({ kind: 'http', id: ids.appId }, [`${at.toISOString()} INFO 192.0.2.1 "GET /"`]);
  fireEvent.click(screen.getByRole('link', { name: 'Services' }));
  const time = (await rowOf('App')).getByText('3 minutes ago');
  expect(time.getAttribute('datetime')).toBe(at.toISOString());
});

it('shows what this browser chose to see, and keeps the choice', async () => {
  const { router } = await openServices();
  await rowOf('App');
  const headings = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
  const entry = async (name: string) => screen.findByRole('menuitemcheckbox', { name });
  fireEvent.click(screen.getByRole('button', { name: 'Display' }));
  expect((await entry('Backend')).getAttribute('aria-checked')).toBe('true');
  fireEvent.click(await entry('Backend'));
  // The menu stays open for the next choice.
  fireEvent.click(await entry('Compact rows'));
  await waitFor(() => expect(headings()).not.toContain('Backend'));
  expect((await entry('Backend')).getAttribute('aria-checked')).toBe('false');
  expect((await entry('Compact rows')).getAttribute('aria-checked')).toBe('true');
  expect([localStorage.getItem('services-hidden'), localStorage.getItem('services-density')]).toEqual([
    'Backend',
    'compact',
  ]);
  await router.navigate({ to: '/nodes' });
  await router.navigate({ to: '/services' });
  await rowOf('App');
  expect(headings()).not.toContain('Backend');
  fireEvent.click(screen.getByRole('button', { name: 'Display' }));
  fireEvent.click(await entry('Backend'));
  fireEvent.click(await entry('Compact rows'));
  await waitFor(() => expect(headings()).toContain('Backend'));
});

it('exposes a service of this gateway from the list, and leads to the nodes for another one', async () => {
  await openServices();
  await rowOf('Broker');
  expect(screen.getByRole('button', { name: 'Expose Service' }).getAttribute('aria-keyshortcuts')).toBe('c');
  await press('Expose Service');
  expect((await screen.findByRole('menuitem', { name: 'On another node' })).getAttribute('href')).toBe('/nodes');
  fireEvent.click(screen.getByRole('menuitem', { name: 'TCP or UDP on this gateway' }));
  const form = within(await dialog('Expose TCP Service on Node'));
  expect(form.getByLabelText<HTMLInputElement>('Node Name').value).toBe('Local');
});
