import { createClient } from '@sallyport/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, TEST_URL, type TestGateway } from '../testing.ts';
import { eventReader } from '../testing/eventReader.ts';

// The requests of Wiredoor's own console and command line, as they stand on the wire, and what those clients make of the
// answers. None of it goes through our own client.

let gateway: TestGateway;
let token: string;
let ids: Awaited<ReturnType<TestGateway['seed']>>;

beforeAll(async () => {
  gateway = await createTestGateway();
  ids = await gateway.seed();
  token = await gateway.signIn();
});
afterAll(() => gateway.stop());

async function send(call: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = call.split(' ');
  const response = await gateway.fetch(path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), text, value: JSON.parse(text) };
}

/** The first event of a stream, read as a browser's EventSource does: no header of its own, the token in the query. */
async function firstEvent(path: string, accept = 'text/event-stream'): Promise<unknown> {
  const url = `${path}${path.includes('?') ? '&' : '?'}token=${token}`;
  const response = await gateway.fetch(url, { headers: { accept } });
  expect(response.status).toBe(200);
  const reader = eventReader(response);
  const event = await reader.data();
  await reader.cancel();
  return event;
}

const fieldsOf = (value: { errors?: { body?: { field: string }[] } }) => value.errors?.body?.map(({ field }) => field);

describe("the console's list of nodes", () => {
  it.each([
    ['?page=1&limit=2', ['Local', 'edge']],
    ['?page=1&limit=10&type=nodes', ['Local', 'edge']],
    ['', ['Local', 'edge', 'site']],
  ])('is an array in each event: %j', async (query, names) => {
    const event = await firstEvent(`/api/nodes/stream${query}`);
    expect(event).toEqual(names.map((name) => expect.objectContaining({ name })));
  });

  it('is the whole page for anyone who asks for it, as our own client does', async () => {
    const page = await firstEvent('/api/nodes/stream?page=1&limit=2', 'text/event-stream; as=page');
    expect(page).toMatchObject({ page: 1, limit: 2, total: 3, data: [{ id: 1 }, { name: 'edge' }] });
  });

  it('is another one for each of them while both read', async () => {
    const client = createClient({ baseUrl: TEST_URL, token, fetch: gateway.fetch });
    const pages = client.node.watch({ query: { page: 1, limit: 2 } });
    const { value: page } = await pages.next();
    expect(page).toMatchObject({ total: 3 });
    expect(await firstEvent('/api/nodes/stream?page=1&limit=2')).toHaveLength(2);
    await pages.return?.();
  });

  it('is one node, not a list, on the page of a node', async () => {
    expect(await firstEvent(`/api/nodes/stream?id=${ids.edgeId}`)).toMatchObject({ id: ids.edgeId, name: 'edge' });
  });
});

describe("a node's configuration", () => {
  it('is a text in JSON without anything that JSON would write another way, for a gateway with DNS servers too', async () => {
    const patch = { dns: '192.0.2.53, 192.0.2.54', allowInternet: true };
    expect((await send(`PATCH /api/nodes/${ids.siteId}`, patch)).status).toBe(200);
    const { status, type, text, value } = await send(`GET /api/nodes/${ids.siteId}/config`);
    expect([status, type]).toEqual([200, 'application/json']);
    // Their command line takes the quotes off both ends and makes lines of each \n, and that is all it decodes.
    const decoded = text.replaceAll(/^"|"$/g, '').replaceAll(String.raw`\n`, '\n');
    expect(decoded).toBe(value);
    expect(decoded).toMatch(/^PostUp = .*iptables/m);
    expect(decoded).not.toMatch(/["\\]/);
  });

  it('is there for a plain node, and for the local one the refusal says why', async () => {
    expect((await send(`GET /api/nodes/${ids.edgeId}/config`)).value).toMatch(/^\[Interface\]\nPrivateKey = /);
    expect((await send('GET /api/nodes/1/config')).status).toBe(400);
    expect((await send('GET /api/nodes/9999/config')).status).toBe(404);
  });
});

describe('a refused subnet', () => {
  const taken = '192.0.2.0/25';
  const networks = [{ interface: 'eth0', subnet: taken }];

  it.each([
    ['gatewayNetworks', { gatewayNetworks: networks }, 'gatewayNetworks.0.subnet'],
    ['gatewayNetwork', { gatewayNetwork: taken }, 'gatewayNetwork'],
    ['both', { gatewayNetwork: taken, gatewayNetworks: networks }, 'gatewayNetwork'],
  ])('is named as it was sent: %s', async (_, subnet, field) => {
    const created = await send('POST /api/nodes', { name: 'taken', isGateway: true, ...subnet });
    expect([created.status, fieldsOf(created.value)]).toEqual([422, [field]]);
    const changed = await send(`PATCH /api/nodes/${ids.edgeId}`, { name: 'edge', isGateway: true, ...subnet });
    expect([changed.status, fieldsOf(changed.value)]).toEqual([422, [field]]);
  });

  it.each([
    [{ isGateway: true, gatewayNetworks: [] }, 'gatewayNetworks'],
    [{ isGateway: true }, 'gatewayNetwork'],
  ])('that is missing is named as it was sent: %j', async (subnet, field) => {
    const created = await send('POST /api/nodes', { name: 'missing', ...subnet });
    expect([created.status, fieldsOf(created.value)]).toEqual([422, [field]]);
  });

  it("is `gatewayNetwork` for the node's own token", async () => {
    const { value: pat } = await send(`POST /api/nodes/${ids.siteId}/pats`, { name: 'cli' });
    const body = { gatewayNetwork: '10.88.0.0/24', gatewayInterface: 'eth0' };
    const own = await send('PATCH /api/cli/node/gateway', body, { authorization: `Bearer ${pat.token}` });
    expect([own.status, fieldsOf(own.value)]).toEqual([422, ['gatewayNetwork']]);
  });
});

describe('a ping of an HTTP service', () => {
  const ping = (query = '') => send(`GET /api/services/1/http/${ids.appId}/ping${query}`);

  it('says that the backend answers', async () => {
    expect(await ping('?path=/x')).toMatchObject({ status: 200, value: { status: 200 } });
  });

  it('says that it does not, and why', async () => {
    gateway.backends.set('127.0.0.1:8080', 'Nothing listens on 127.0.0.1:8080.');
    gateway.clock.advance(60_000);
    gateway.clock.advance(60_000);
    const { status, value } = await ping();
    expect(status).toBe(400);
    expect(value.message).toBe('Request to backend failed. Nothing listens on 127.0.0.1:8080.');
    gateway.backends.set('127.0.0.1:8080', null);
    gateway.clock.advance(60_000);
  });

  it('asks the backend at once, but not more than once a second, however many ask', async () => {
    gateway.clock.advance(2000);
    const before = gateway.backends.asked.length;
    await Promise.all(Array.from({ length: 20 }, () => ping()));
    expect(gateway.backends.asked.length).toBe(before + 1);
    gateway.clock.advance(1000);
    await ping();
    expect(gateway.backends.asked.length).toBe(before + 2);
  });

  it('sends nothing to a node without a tunnel', async () => {
    const before = gateway.backends.asked.length;
    const { status, value } = await send(`GET /api/services/${ids.edgeId}/http/${ids.wikiId}/ping`);
    expect(status).toBe(400);
    expect(value.message).toMatch(/^Request to backend failed\. /);
    expect(gateway.backends.asked.length).toBe(before);
  });

  it('finds no service of another node, and none that is closed', async () => {
    expect((await send(`GET /api/services/${ids.edgeId}/http/${ids.appId}/ping`)).status).toBe(404);
    await send(`PATCH /api/services/1/http/${ids.appId}/disable`);
    expect((await ping()).status).toBe(400);
    await send(`PATCH /api/services/1/http/${ids.appId}/enable`);
  });
});

describe('a number as text', () => {
  const tcp = (more: object) =>
    send(`POST /api/services/${ids.edgeId}/tcp`, { name: 'mqtt', proto: 'udp', backendPort: '1883', ...more });

  it('is the number', async () => {
    const http = await send('POST /api/services/1/http', {
      name: 'text',
      pathLocation: '/text',
      backendHost: '127.0.0.1',
      backendPort: '8081',
    });
    expect([http.status, http.value.backendPort]).toEqual([200, 8081]);
    const { status, value } = await tcp({ port: '20005' });
    expect([status, value.backendPort, value.port]).toEqual([200, 1883, 20_005]);
    const node = await send(`PATCH /api/nodes/${ids.edgeId}`, { keepalive: '25' });
    expect([node.status, node.value.keepalive]).toEqual([200, 25]);
  });

  it.each(['', ' ', '1e3', '0x50', '80.0', '+80', '-1', ' 80', '80 ', true, [80], {}, '65536', '٨٠'])(
    'is nothing else: %j',
    async (backendPort) => {
      const { status, value } = await tcp({ name: 'lax', backendPort });
      expect([status, fieldsOf(value)]).toEqual([422, ['backendPort']]);
    },
  );

  it('is no text where a text is wanted, nor a yes or no', async () => {
    expect((await send('POST /api/nodes', { name: 5 })).status).toBe(422);
    expect((await send('POST /api/nodes', { name: 'x', allowInternet: '1' })).status).toBe(422);
  });
});
