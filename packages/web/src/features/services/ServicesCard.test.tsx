import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { choose, openConsole, openMenu, signIn, press, streamsIn, type } from '../../testing/openConsole.tsx';

const rowOf = async (name: string) => {
  const row = (await screen.findByText(name)).closest('tr');
  if (!row) throw new Error(`${name} is not in a row`);
  return within(row);
};

it('shows where each service of the node is reached and what is behind it', async () => {
  await openConsole({ path: '/nodes/1' });
  const app = await rowOf('App');
  expect(app.getByRole('img', { name: 'Enabled' })).toBeDefined();
  expect(app.getByRole('link', { name: 'https://app.example.test/' }).getAttribute('rel')).toContain('noreferrer');
  expect(app.getByText('http://127.0.0.1:8080').parentElement?.textContent).toBe('Proxy -> http://127.0.0.1:8080');
});

it('has one sign in a row, whatever the word next to it says', async () => {
  const { gateway, connection, ids } = await openConsole({ path: '/nodes/1' });
  const app = await rowOf('App');
  gateway.backends.set('127.0.0.1:9090', 'Nothing listens on 127.0.0.1:9090.');
  await connection.client.httpService.update({ params: { nodeId: 1, id: ids.appId }, body: { backendPort: 9090 } });
  const signs = (await app.findByText('Down')).closest('tr')?.querySelectorAll('svg[viewBox="0 0 12 12"]') ?? [];
  expect([...signs].map(({ parentElement }) => parentElement?.title)).toEqual(['Enabled']);
});

/** The pages of services that were asked for. */
const listsIn = (requests: readonly string[]) => requests.filter((one) => one.startsWith('GET /api/services/1/'));

it('has its first page from its stream', async () => {
  const { requests } = await openConsole({ path: '/nodes/1' });
  await rowOf('App');
  expect(listsIn(requests)).toEqual([]);
});

it('asks for its first page where no stream brings it', async () => {
  const { requests, answer, router } = await openConsole();
  answer('GET /api/streams', () => new Promise(() => undefined));
  await router.navigate({ href: '/nodes/1' });
  await screen.findByText('App', undefined, { timeout: 5000 });
  expect(listsIn(requests)).toHaveLength(2);
});

it('searches, orders and resizes on the gateway, each card for itself, and keeps all of it in the address', async () => {
  const { connection, path, requests } = await openConsole({ path: '/nodes' });
  for (const name of ['beta', 'Alpha', 'gamma', 'delta', 'Epsilon']) {
    await connection.client.httpService.create({
      params: { nodeId: 1 },
      body: { name, pathLocation: `/${name}`, backendHost: '127.0.0.1', backendPort: 8080 },
    });
  }
  (await screen.findByRole('link', { name: 'Local' })).click();
  const card = within(await screen.findByRole('region', { name: 'HTTP Services' }));
  const names = () => card.getAllByRole('row').flatMap((row) => row.querySelector('[data-primary]')?.textContent ?? []);
  await card.findByText('Showing 1 to 5 of 7');
  // The card of the other kind has nothing to look through.
  expect(screen.queryByRole('searchbox', { name: 'Search TCP services' })).toBeNull();

  fireEvent.click(card.getByRole('button', { name: 'Name' }));
  await waitFor(() => expect(names()).toEqual(['Alpha', 'App', 'beta', 'delta', 'Epsilon']));
  const sorted = (name: string) => card.getByRole('columnheader', { name }).getAttribute('aria-sort');
  expect([sorted('Name'), sorted('Ingress')]).toEqual(['ascending', null]);
  await press('Next');
  await waitFor(() => expect(names()).toEqual(['gamma', 'Sallyport console']));
  const words = () => Object.fromEntries(new URLSearchParams(path().split('?')[1]));
  expect(words()).toEqual({ httpPage: '2', httpSort: 'name' });
  fireEvent.change(card.getByLabelText('HTTP Services, rows on a page'), { target: { value: '10' } });
  await waitFor(() => expect(names()).toHaveLength(7));
  fireEvent.click(card.getByRole('button', { name: 'Ingress' }));
  await waitFor(() => expect(words()).toMatchObject({ httpSort: 'domain' }));
  fireEvent.click(card.getByRole('button', { name: 'Ingress' }));
  await waitFor(() => expect(names()[0]).toBe('App'));
  expect([sorted('Name'), sorted('Ingress')]).toEqual([null, 'descending']);
  await type('Search HTTP services', 'eta');
  await waitFor(() => expect(names()).toEqual(['beta']));
  expect(words()).toEqual({ httpSize: '10', httpSort: '-domain', httpSearch: 'eta' });
  const query = 'page=1&limit=10&orderBy=domain%2Cdesc&search=eta';
  await waitFor(() => expect(streamsIn(requests)).toContain(`/api/services/http/stream?${query}&nodeId=1`));
  await type('Search HTTP services', 'nowhere');
  await card.findByText('No HTTP services match');
  fireEvent.click(card.getAllByRole('button', { name: 'Clear search' }).at(-1) ?? document.body);
  await waitFor(() => expect(names()).toHaveLength(7));
});

it("keeps how a domain's services are looked at only while they are unfolded", async () => {
  const { ids, path, router } = await openConsole({
    path: '/domains',
  });
  await router.navigate({ href: `/domains?open=${ids.domainId}&http${ids.domainId}Search=ap&http99Page=2` });
  const card = within(await screen.findByRole('region', { name: 'HTTP Services of app.example.test' }));
  await card.findByText('App');
  expect(
    card.getByRole<HTMLInputElement>('searchbox', { name: 'Search HTTP services of app.example.test' }).value,
  ).toBe('ap');
  await press('Services of app.example.test');
  await waitFor(() => expect(path()).toBe('/domains'));
});

it.each([
  ['http', 'App', 'https://app.example.test/'],
  ['tcp', 'Broker', 'tcp://vpn.example.test:20000'],
])('closes, opens and deletes an %s service, each after a question', async (kind, name, address) => {
  const { connection, requests } = await openConsole({ path: '/nodes/1' });
  await connection.client.tcpService.create({
    params: { nodeId: 1 },
    body: { name: 'Broker', backendHost: '127.0.0.1', backendPort: 1883 },
  });
  const service = await rowOf(name);
  for (const [action, title, accept, done] of [
    ['Disable Access', 'Disable Public Access', 'Yes, disable public access!', /^Service disabled/],
    ['Enable Access', 'Enable Public Access', 'Yes, enable public access!', /^Service exposed/],
    ['Delete Service', 'Delete service', 'Yes, delete it!', /^Service deleted/],
  ] as const) {
    await choose(name, action);
    const question = await screen.findByRole('alertdialog', { name: title });
    expect(question.textContent).toContain(`${name}, ${address}`);
    await press(accept);
    await screen.findByText(done);
    const dot = { 'Disable Access': 'Disabled', 'Enable Access': 'Enabled' }[action as string];
    if (dot) await service.findByRole('img', { name: dot });
  }
  await waitFor(() => expect(screen.queryByText(name)).toBeNull());
  const calls = requests.filter((request) => request.includes(`/${kind}/`) && !request.startsWith('GET'));
  expect(calls.map((call) => call.replace(/\/\d+/g, ''))).toEqual([
    `PATCH /api/services/${kind}/disable`,
    `PATCH /api/services/${kind}/enable`,
    `DELETE /api/services/${kind}`,
  ]);
});

it("refuses to close the gateway's own console, and says why", async () => {
  const { connection } = await openConsole({ path: '/nodes/1' });
  const { data } = await connection.client.httpService.list({ params: { nodeId: 1 }, query: {} });
  const own = data.find(({ builtin }) => builtin);
  const items = await openMenu(own?.name ?? '');
  const remove = items.find(({ textContent }) => textContent?.startsWith('Delete Service'));
  expect(remove?.textContent).toBe("Delete ServiceThe built-in console service can't be deleted");
  expect(remove?.getAttribute('aria-disabled')).toBe('true');
});

it('says once per screen what is off for all services, and tells it in full in Info', async () => {
  const { gateway, router } = await openConsole({ path: '/login', session: 'none' });
  const [reason, fix] = ['There is no tunnel in memory.', 'Expose services of the local node.'];
  gateway.world.setUnavailable([{ feature: 'tunnel', reason, fix }]);
  await signIn();
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  await router.navigate({ href: '/services' });
  const listed = await rowOf('Wiki');
  expect(listed.getByText('The tunnel is off.')).toBeDefined();
  // The page of the node says it above, and its row calls that the same as the list does.
  await router.navigate({ href: '/nodes/2' });
  await screen.findByText('The host cannot connect: the tunnel is off');
  const wiki = await rowOf('Wiki');
  expect(wiki.getByText('Cannot be served')).toBeDefined();
  expect(wiki.queryByText('The tunnel is off.')).toBeNull();
  await choose('Wiki', 'Info');
  const info = within(await screen.findByRole('dialog', { name: 'Your Service is Not Publicly Available' }));
  expect(info.getByText(/nodes behind it cannot be reached/).textContent).toContain(`${reason} ${fix}`);
});

it('tells whether the backend answers, apart from whether the service is enabled, as soon as that changes', async () => {
  const { gateway, requests } = await openConsole({ path: '/nodes/1' });
  const app = await rowOf('App');
  expect(app.getByText('Up')).toBeDefined();
  await waitFor(() => expect(gateway.watchers()).toBe(3));
  requests.length = 0;

  gateway.backends.set('127.0.0.1:8080', 'Nothing listens on 127.0.0.1:8080.');
  await waitFor(() => {
    gateway.clock.advance(3000);
    expect(app.queryByText('Down')).not.toBeNull();
  });
  expect(app.getByText('Nothing listens on 127.0.0.1:8080.')).toBeDefined();
  expect(app.getByRole('img', { name: 'Enabled' })).toBeDefined();
  // The stream brought it.
  expect(requests).toEqual([]);
});

it('lets all streams of a window go while it is hidden, and goes on when it is shown', async () => {
  const { gateway } = await openConsole({ path: '/nodes/1' });
  await rowOf('App');
  // The node's own stream, and one for each kind of service.
  await waitFor(() => expect(gateway.watchers()).toBe(3));
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  fireEvent(document, new Event('visibilitychange'));
  await waitFor(() => expect(gateway.watchers()).toBe(0));
  visibility.mockRestore();
  fireEvent(document, new Event('visibilitychange'));
  await waitFor(() => expect(gateway.watchers()).toBe(3));
});

it('is empty with a way to begin, on a node', async () => {
  await openConsole({ path: '/nodes/3' });
  for (const [title, none] of [
    ['HTTP Services', 'No HTTP services yet'],
    ['TCP Services', 'No TCP services yet'],
  ] as const) {
    const card = within(await screen.findByRole('region', { name: title }));
    await card.findByText(none);
    expect(card.getAllByRole('button', { name: /^Add Service/ })).toHaveLength(1);
    // No head of a table that has no rows.
    expect(card.queryByRole('table')).toBeNull();
  }
});

it('is empty with the way to the nodes, on a domain', async () => {
  await openConsole({ path: '/domains' });
  await press('Services of app.example.test');
  const card = within(await screen.findByRole('region', { name: 'TCP Services of app.example.test' }));
  await card.findByText('No TCP services yet');
  expect(card.getByRole('link', { name: 'Client / Nodes' }).getAttribute('href')).toBe('/nodes');
  expect(card.queryByRole('button', { name: /^Add Service/ })).toBeNull();
});

it("leads from a domain's services to their node, whose address it knows", async () => {
  const { connection, ids, path } = await openConsole({ path: '/nodes' });
  const { address } = await connection.client.node.get({ params: { id: ids.edgeId } });
  await connection.client.tcpService.create({
    params: { nodeId: ids.edgeId },
    body: { name: 'Broker', domain: 'app.example.test', backendPort: 1883, ssl: true },
  });
  fireEvent.click(await screen.findByRole('link', { name: 'Domain Names' }));
  await press('Services of app.example.test');
  const broker = await rowOf('Broker');
  // No browser opens the address of a port: it is text to copy instead of a link that leads nowhere.
  expect(broker.getByText('tcp://app.example.test:20000').closest('a')).toBeNull();
  expect(broker.getByRole('button', { name: 'Copy the public address of Broker' })).toBeDefined();
  expect(broker.getByText('TLS')).toBeDefined();
  expect(await broker.findByText(`tcp://${address}:1883`)).toBeDefined();
  const items = (await openMenu('Broker')).map(({ textContent }) => textContent);
  expect(items).toEqual(['Info', 'Logs Monitor', 'Go to node', 'Disable Access', 'Delete Service']);
  fireEvent.click(screen.getByRole('menuitem', { name: 'Go to node' }));
  await waitFor(() => expect(path()).toBe(`/nodes/${ids.edgeId}`));
});

it('tells when a service closes by itself, the exact time on focus', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:00:00.000Z') });
  try {
    const { connection } = await openConsole({ path: '/nodes/1' });
    await connection.client.tcpService.create({
      params: { nodeId: 1 },
      body: { name: 'Broker', backendHost: '127.0.0.1', backendPort: 1883, ttl: '2h' },
    });
    const broker = await rowOf('Broker');
    const time = broker.getByText('in 2 h');
    expect(time.parentElement?.textContent).toBe('Closes in 2 h');
    expect(time.getAttribute('datetime')).toBe('2026-11-21T14:00:00.000Z');
    expect(time.tabIndex).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('offers, on its node, to look at a service, to follow, to edit, to close and to delete it', async () => {
  const { ids, path } = await openConsole({ path: '/nodes/1' });
  const items = await openMenu('App');
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'Info',
    'Logs Monitor',
    'Edit Service',
    'Disable Access',
    'Delete Service',
  ]);
  items[0]?.click();
  const info = within(await screen.findByRole('dialog', { name: 'Your Service is Now Publicly Available' }));
  expect(info.getByRole('link', { name: 'https://app.example.test/' })).toBeDefined();
  fireEvent.click(info.getAllByRole('button', { name: 'Close' })[0] ?? document.body);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await choose('App', 'Logs Monitor');
  await waitFor(() => expect(path()).toBe(`/nodes/1/http/${ids.appId}/logs`));
});

const infoOf = async (title: string) => within(await screen.findByRole('dialog', { name: title }));

it('says that browsers warn of a self-signed certificate, and gets another one where the name leads here', async () => {
  const { gateway, ids } = await openConsole({ path: '/login', session: 'none' });
  gateway.world.setCertificateIssuer({ available: true });
  await signIn();
  fireEvent.click(await screen.findByRole('link', { name: 'Client / Nodes' }));
  fireEvent.click(await screen.findByRole('link', { name: 'Local' }));
  await choose('App', 'Info');
  const info = await infoOf('Your Service is Now Publicly Available');
  await info.findByText(/self-signed, so browsers warn visitors first/);
  expect(info.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe('https://app.example.test/');
  expect(info.getByRole('link', { name: 'Log' }).getAttribute('href')).toBe(`/nodes/1/http/${ids.appId}/logs`);
  await press('Get a certificate');
  await waitFor(() => expect(info.queryByText(/self-signed, so browsers warn/)).toBeNull());
  await info.findByText(/^Let's Encrypt, ends/);
  expect(await gateway.store.domains.get(ids.domainId)).toMatchObject({ ssl: 'certbot', skipValidation: false });
});

it.each([
  [{}, 'Your Service is Not Publicly Available', /It should lead to 203\.0\.113\.1/],
  [{ a: ['198.51.100.9'] }, 'Your Service is Published', /198\.51\.100\.9, not to this gateway/],
  [{ a: ['203.0.113.1', '198.51.100.9'] }, 'Your Service is Published', /some visitors end up there/],
  [{ failure: 'ETIMEOUT' }, 'Your Service is Published', /did not answer in time/],
])('promises no more than the DNS says: %j', async (answer, title, text) => {
  const { gateway } = await openConsole({ path: '/nodes/1' });
  gateway.clock.advance(2000);
  gateway.system.nameServers.answer(() => answer);
  await choose('App', 'Info');
  const info = await infoOf(title);
  await info.findByText(text);
  // While it is looked up, the title says no more than that.
  expect(screen.getByRole('dialog', { name: title })).toBeDefined();
  // What the name servers did not say may be so already.
  expect(info.queryAllByText(/a wildcard record of yours/)).toHaveLength('failure' in answer ? 1 : 0);
  // An authority would not find it.
  expect(info.queryByRole('button', { name: 'Get a certificate' })).toBeNull();

  gateway.system.nameServers.answer(() => ({ a: ['203.0.113.1'] }));
  gateway.clock.advance(2000);
  await press('Check again');
  await infoOf('Your Service is Now Publicly Available');
});

it('says that only one network reaches a name of a private address', async () => {
  const { gateway } = await openConsole({ path: '/nodes/1' });
  gateway.clock.advance(2000);
  gateway.system.names.set('vpn.example.test', ['192.168.1.10']);
  gateway.system.nameServers.answer(() => ({ a: ['192.168.1.10'] }));
  await choose('App', 'Info');
  const info = await infoOf('Your Service is Published');
  await info.findByText(/192\.168\.1\.10 is a private address: only visitors of its own network reach it/);
  expect(screen.getByRole('dialog', { name: 'Your Service is Published' })).toBeDefined();
  // The DNS has what it should.
  expect(info.queryByRole('region', { name: 'Records for the DNS provider' })).toBeNull();
});

it.each([
  [[], null, 'Your Service is Now Publicly Available', /self-signed/],
  [['It is a private address.'], null, 'Your Service is Published', 'It is a private address.'],
  // What will be reached tells nothing of what is.
  [
    [],
    'gateway.example.com',
    'Your Service is Published',
    'The address is vpn.example.test until the next start of the gateway, and gateway.example.com from then on.',
  ],
])(
  'without a domain promises no more than is known of the address: %j, next %s',
  async (warnings, next, title, note) => {
    const { connection, gateway } = await openConsole({ path: '/nodes/1' });
    const { client } = connection;
    const body = { name: 'Wide', pathLocation: '/wide', backendHost: '127.0.0.1', backendPort: 8080 };
    await client.httpService.create({ params: { nodeId: 1 }, body });
    gateway.world.setPublicAddress({ report: async () => ({ warnings, facts: [] }) });
    if (next !== null) await (await client.seldom()).publicAddress.change({ body: { host: next } });
    await choose('Wide', 'Info');
    const info = await infoOf(title);
    expect(await info.findByText(note)).toBeDefined();
    expect(screen.getByRole('dialog', { name: title })).toBeDefined();
  },
);

it('says that the backend does not answer, next to what else is true', async () => {
  const { gateway } = await openConsole({ path: '/nodes/1' });
  gateway.backends.set('127.0.0.1:8080', 'Nothing listens on 127.0.0.1:8080.');
  const app = await rowOf('App');
  await waitFor(() => {
    gateway.clock.advance(3000);
    expect(app.queryByText('Down')).not.toBeNull();
  });
  await choose('App', 'Info');
  const info = await infoOf('Your Service is Not Publicly Available');
  for (const text of ['Does not answer', 'Leads here', 'Self Signed']) await info.findByText(text);
});

it('says of a closed service that alone, and opens it from there', async () => {
  const { connection, ids } = await openConsole({ path: '/nodes/1' });
  await connection.client.httpService.disable({ params: { nodeId: 1, id: ids.appId } });
  const row = await rowOf('App');
  await row.findByText('Closed');
  await choose('App', 'Info');
  const info = await infoOf('Your Service is Not Publicly Available');
  // What else browsers and DNS say counts once it is open.
  await info.findByText('Leads here');
  expect(info.queryByText(/browsers warn visitors/)).toBeNull();
  fireEvent.click(info.getByRole('button', { name: 'Enable Access' }));
  await press('Yes, enable public access!');
  await waitFor(() => expect(info.queryByRole('button', { name: 'Enable Access' })).toBeNull(), { timeout: 10_000 });
});

it('says when a service was closed by its time limit, at the time of the reader', async () => {
  const { connection, gateway } = await openConsole({ path: '/nodes/1' });
  await connection.client.httpService.create({
    params: { nodeId: 1 },
    body: { name: 'Short', pathLocation: '/short', backendHost: '127.0.0.1', backendPort: 80, ttl: '1h' },
  });
  const end = new Date(gateway.clock.now().getTime() + 3_600_000);
  gateway.clock.advance(3_600_000);
  const time = end.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const words = new RegExp(`^(?:on \\d\\d/\\d\\d/\\d{4} )?at ${time} by its time limit$`);
  const row = await rowOf('Short');
  await waitFor(() => expect(row.getByText(words)).toBeDefined());
  // Not once more, in another zone.
  expect(row.queryByText(/UTC/)).toBeNull();
});
