import { httpServiceAttributes, SHARED_STREAM_PATH, tcpServiceAttributes } from '@sallyport/sdk/contract';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { choose, dialog, openConsole, openMenu, press, streamsIn, type } from '../../testing/openConsole.tsx';
import { wrapping } from '../logs/LogToolbar.tsx';
import { stepsOf } from './ServicePath.tsx';

type Told = Parameters<typeof stepsOf>[0];

const PATIENCE = { timeout: 20_000 };
const heading = (name: string) => screen.findByRole('heading', { name, level: 1 }, PATIENCE);
const region = async (name: string) => within(await screen.findByRole('region', { name }, PATIENCE));

/** The console at the page of the seeded HTTP service of the local node. */
async function openApp() {
  const opened = await openConsole({ path: '/nodes/1/http/2' });
  await heading('App');
  // Keys are listened for once what is drawn has had its effects.
  await act(() => Promise.resolve());
  return { ...opened, params: { nodeId: 1, id: opened.ids.appId } };
}

const stepTexts = () =>
  [...screen.getByRole('list', { name: 'The way of a visitor' }).querySelectorAll('li')].map(
    ({ textContent }) => textContent,
  );

it('tells how a service is, the way to it, who may come in, its settings and its log', async () => {
  const { ids, gateway, requests, connection, params } = await openApp();
  expect(document.title).toMatch(/App · Sallyport$/);
  const way = screen.getByRole('navigation', { name: 'Breadcrumb' });
  await waitFor(() =>
    expect([...way.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual([
      'Client / Nodes',
      'Local',
      'App',
    ]),
  );
  expect(screen.getByText('Up')).toBeDefined();
  expect(stepTexts()).toEqual([
    'Public addressOpenhttps://app.example.test/',
    expect.stringMatching(/^NodeThis gatewayLocal[\d.]+$/),
    'BackendAnswershttp://127.0.0.1:8080',
  ]);
  expect(screen.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe('https://app.example.test/');
  expect(screen.getByRole('link', { name: 'Logs' })).toHaveProperty('pathname', `/nodes/1/http/${ids.appId}/logs`);
  expect(screen.getByRole('button', { name: 'Copy the address of App' })).toBeDefined();
  expect((await region('Access')).getAllByText(/^Every(?:one|body)$/)).toHaveLength(2);
  expect((await region('Limits')).getByText('No limit')).toBeDefined();
  expect((await region('Domain')).getByRole('link', { name: 'app.example.test' })).toHaveProperty(
    'search',
    `?search=app.example.test&open=${ids.domainId}`,
  );
  expect((await region('Settings')).getByText('8080')).toBeDefined();
  gateway.system.logs.push({ kind: 'http', id: ids.appId }, ['INFO the first line']);
  await screen.findByText('INFO the first line');
  // All of it came over one connection.
  expect(requests.filter((request) => request.includes('/stream'))).toHaveLength(1);
  expect(streamsIn(requests).toSorted()).toEqual([
    `/api/logs/stream?type=http&id=${ids.appId}&lines=12`,
    '/api/nodes/stream?id=1',
    `/api/services/http/stream?nodeId=1&id=${ids.appId}&limit=1`,
  ]);
  await connection.client.httpService.update({
    params,
    body: { allowedIps: ['192.0.2.0/24'], tags: ['home'], notes: 'Ask Ada.', ttl: '2h' },
  });
  expect((await region('Tags and notes')).getByText('Ask Ada.')).toBeDefined();
  expect((await region('Access')).getByText('Only 192.0.2.0/24')).toBeDefined();
  // The gateway's clock is another one.
  expect((await region('Limits')).getByText(/^Closes/)).toBeDefined();
});

it.each([
  ['http', httpServiceAttributes],
  ['tcp', tcpServiceAttributes],
] as const)('says every setting of a service of the kind %s', async (kind, attributes) => {
  const { connection, router } = await openConsole({ path: '/nodes' });
  const at = { backendHost: '127.0.0.1', backendPort: 1883, tags: ['home'], notes: 'Ask Ada.' };
  const { client } = connection;
  const of = { params: { nodeId: 1 } };
  const { id } =
    kind === 'http'
      ? await client.httpService.create({ ...of, body: { ...at, name: 'Shown', pathLocation: '/shown' } })
      : await client.tcpService.create({ ...of, body: { ...at, name: 'Shown' } });
  await router.navigate({ href: `/nodes/1/${kind}/${id}` });
  await heading('Shown');
  await region('Settings');
  const labels = [...document.querySelectorAll('dt')].map(({ textContent }) => textContent.toLowerCase());
  // The name is the title, and tags and notes have a card of their own; without sign-in there is nothing to bypass.
  const unlabelled = ['name', 'tags', 'notes', 'skipAuthRoutes'];
  const expected: Record<string, string> = {
    domain: 'public domain',
    pathLocation: 'public http path',
    backendProto: 'backend protocol',
    proto: 'backend protocol',
    requireAuth: 'require authentication',
    allowedIps: 'allowed ips',
    blockedIps: 'blocked ips',
    ssl: 'ssl termination',
  };
  for (const field of Object.keys(attributes).filter((name) => !unlabelled.includes(name))) {
    const words = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    expect(labels, field).toContain(expected[field] ?? words);
  }
});

it('follows what is found out, and says which step is at fault', async () => {
  const { gateway, connection, params } = await openApp();
  gateway.backends.set('127.0.0.1:9090', 'Nothing listens on 127.0.0.1:9090.');
  await connection.client.httpService.update({ params, body: { backendPort: 9090 } });
  await screen.findByText('Nothing listens on 127.0.0.1:9090.');
  expect(screen.getByText('Down')).toBeDefined();
  expect(stepTexts()[2]).toBe('BackendDoes not answerhttp://127.0.0.1:9090');
  await connection.client.httpService.disable({ params });
  await screen.findByText(/^Closed (?:on \S+ )?at \d\d:\d\d by an administrator$/, { selector: 'span' });
  expect(stepTexts()[0]).toMatch(/^Public addressClosed/);
  expect(screen.queryByRole('link', { name: 'Open' })).toBeNull();
  await press('Enable Access');
  await press('Yes, enable public access!');
  await waitFor(() => expect(screen.getByRole('link', { name: 'Open' })).toBeDefined());
});

const up: Told = { enabled: true, closedBy: null, problem: null, health: 'up' };
const online = { isLocal: false, enabled: true, status: 'online', latestHandshakeTimestamp: 1 } as const;

describe('the way of a visitor', () => {
  it.each([
    ['nowhere', up, online, ['open', 'open', 'open']],
    ['before the node is known', up, undefined, ['open', 'unknown', 'open']],
    ['at a backend', { ...up, health: 'down' }, online, ['open', 'open', 'broken']],
    [
      'at a node that is offline',
      { ...up, health: 'down' },
      { ...online, status: 'offline' },
      ['open', 'broken', 'unknown'],
    ],
    [
      'at a node that is disconnected',
      { ...up, problem: 'It is.' },
      { ...online, enabled: false },
      ['unknown', 'shut', 'unknown'],
    ],
    ['at the gateway', { ...up, problem: 'It cannot.', health: 'unknown' }, online, ['broken', 'open', 'unknown']],
    ['on purpose', { ...up, enabled: false, health: 'unknown' }, online, ['shut', 'open', 'unknown']],
  ] as const)('ends %s', (_, service, node, states) => {
    const { address, node: second, backend } = stepsOf(service, node);
    expect([address.state, second.state, backend.state]).toEqual(states);
  });
});

it('calls no address open at which nothing can be served, whatever stops it', () => {
  const { address } = stepsOf({ ...up, problem: 'The tunnel is off.' }, { ...online, status: 'offline' });
  expect(address).toEqual({ state: 'unknown', word: 'Cannot be served' });
});

it('says of a node that no host has joined the same as its own page', () => {
  const { node } = stepsOf(up, { ...online, status: 'offline', latestHandshakeTimestamp: null });
  expect(node).toEqual({ state: 'broken', word: 'Waiting for first connection' });
  const off = stepsOf(up, { ...online, status: 'offline', latestHandshakeTimestamp: null }, true);
  expect(off.node).toEqual({ state: 'broken', word: 'The tunnel is off' });
});

it('is edited, and leads back to the list once it was deleted from here', async () => {
  const { path, router } = await openConsole({ path: '/services?kind=http' });
  (await screen.findByRole('link', { name: 'Wiki' }, PATIENCE)).click();
  await heading('Wiki');
  await press('Edit');
  await dialog('Expose HTTP Service on Node');
  await type(/^Service Name/, 'Handbook');
  await press('Save');
  within(await dialog(/^Your Service/))
    .getAllByRole('button', { name: 'Close' })[0]
    ?.click();
  await heading('Handbook');
  await choose('Handbook', 'Delete Service');
  await press('Yes, delete it!');
  await waitFor(() => expect(path()).toBe('/services?kind=http'));
  expect(router.state.location.pathname).toBe('/services');
  expect(screen.queryByText('Handbook was deleted')).toBeNull();
});

it('breaks the last lines of its log where the log does, as on a phone', async () => {
  await openApp();
  const isBroken = () =>
    screen.getByLabelText('Last lines of the log of App').className.includes('whitespace-pre-wrap');
  expect(isBroken()).toBe(false);
  act(() => wrapping.set('on'));
  expect(isBroken()).toBe(true);
  wrapping.set('auto');
});

it('stays at the last line of its log when the window gets narrower', async () => {
  const resized = new Map<Element, () => void>();
  class Observer {
    private readonly call: () => void;
    constructor(call: () => void) {
      this.call = call;
    }
    observe = (element: Element) => void resized.set(element, this.call);
    unobserve = () => undefined;
    disconnect = () => undefined;
  }
  vi.stubGlobal('ResizeObserver', Observer);
  await openApp();
  const panel = screen.getByLabelText('Last lines of the log of App');
  // Its lines wrap more often, and no new one comes.
  Object.defineProperty(panel, 'scrollHeight', { value: 900 });
  resized.get(panel)?.();
  expect(panel.scrollTop).toBe(900);
  vi.unstubAllGlobals();
});

it('tells the time of a line as the page of the log does', async () => {
  const { gateway, ids } = await openApp();
  const line = (at: string) => `${at} ERROR 127.0.0.1 "GET / HTTP/1.1" 500 84 1ms 127.0.0.1:80`;
  const today = `${new Date().toISOString().slice(0, 10)}T`;
  gateway.system.logs.push({ kind: 'http', id: ids.appId }, [
    line(`${today}07:10:11.123Z`),
    line('2025-01-02T07:10:11.123Z'),
  ]);
  const told = await screen.findByText(/^07:10:11\.123 ERROR/);
  // Its level is read from the line as it came.
  expect(told.className).toContain('text-log-error');
  expect(screen.getByText(/^01\/02 07:10 ERROR/)).toBeDefined();
});

it.each([
  ['Edit address', /^Public Domain/],
  ['Edit backend', /^Backend Port/],
  ['Edit the access of App', 'Add Allowed IP'],
  ['Edit the limits of App', /^Time to Live/],
  ['Edit the settings of App', /^Service Name/],
])('has an edit for what it says, which opens the form at its field: %s', async (button, field) => {
  await openApp();
  await press(button);
  const form = within(await dialog('Expose HTTP Service on Node'));
  const [control] = [...form.queryAllByLabelText(field), ...form.queryAllByRole('button', { name: field })];
  await waitFor(() => expect(document.activeElement).toBe(control));
});

it('opens the access of a service at the first address that may come in', async () => {
  const { connection, params } = await openApp();
  await connection.client.httpService.update({ params, body: { allowedIps: ['192.0.2.1', '192.0.2.2'] } });
  await screen.findByText('192.0.2.1, 192.0.2.2');
  await press('Edit the access of App');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Allowed IP 1')));
});

it('copies its address by a key', async () => {
  await openApp();
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  fireEvent.keyDown(document.body, { key: 'y' });
  expect(copied).toHaveBeenCalledWith('https://app.example.test/');
  copied.mockRestore();
});

it('says that it was deleted elsewhere, with the way back', async () => {
  const { gateway, ids } = await openApp();
  await gateway.fetch(`/api/services/1/http/${ids.appId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${await gateway.signIn()}` },
  });
  await heading('App was deleted');
  // Where the navigation is lit.
  expect(screen.getByRole('link', { name: 'Back to Client / Nodes' }).getAttribute('href')).toBe('/nodes');
  expect(screen.getByRole('link', { name: 'All Services' }).getAttribute('href')).toBe('/services');
});

it.each([
  ['/nodes/1/http/4711', 'There is no HTTP service 4711 of node 1'],
  ['/nodes/2/http/2', 'There is no HTTP service 2 of node 2'],
  ['/nodes/1/tcp/4711', 'There is no TCP service 4711 of node 1'],
])('says that there is nothing at %s', async (path, title) => {
  await openConsole({ path });
  expect((await heading(title)).textContent).toBe(title);
  expect(document.title.endsWith(`${title} · Sallyport`)).toBe(true);
});

it('asks for the service where no stream brings it', async () => {
  const { answer, router } = await openConsole();
  answer(`GET ${SHARED_STREAM_PATH}`, () => new Promise(() => undefined));
  await router.navigate({ href: '/nodes/1/http/2' });
  await heading('App');
  expect(await screen.findAllByRole('link', { name: 'Local' }, PATIENCE)).toHaveLength(2);
});

it('has in its menu what has no button', async () => {
  await openApp();
  const items = await openMenu('App');
  expect(items.map(({ textContent }) => textContent)).toEqual(['Info', 'Disable Access', 'Delete Service']);
});

it("offers of the gateway's own console what may change", async () => {
  await openConsole({ path: '/nodes/1/http/1' });
  await heading('Sallyport console');
  expect(screen.getByText('Built in')).toBeDefined();
  const items = await openMenu('Sallyport console');
  const off = items
    .filter((item) => item.getAttribute('aria-disabled') === 'true')
    .map(({ textContent }) => textContent);
  expect(off).toEqual([expect.stringMatching(/^Disable Access/), expect.stringMatching(/^Delete Service/)]);
  expect(screen.getByRole('button', { name: 'Edit address' })).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Edit backend' })).toBeNull();
});
