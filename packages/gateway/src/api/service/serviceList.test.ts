import type { ListedService } from '@sallyport/sdk/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asNode, seededGateway, type SeededGateway, testApi } from '../../testing/testApi.ts';

let { gateway, admin, ids }: SeededGateway = {} as never;

const HERE = { backendHost: '127.0.0.1' };
const REFUSED = 'Nothing listens on 127.0.0.1:9090. Start the service, or correct the port.';

// Next to the seed's `App` on the local node, `Wiki` on `edge`, and the console.
beforeAll(async () => {
  ({ gateway, admin, ids } = await seededGateway());
  gateway.backends.set('127.0.0.1:9090', REFUSED);
  const add = async (type: 'http' | 'tcp', nodeId: number, body: object): Promise<number> => {
    gateway.clock.advance(1000);
    const reply = await admin(`POST /api/services/${nodeId}/${type}`, body);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return Number(reply.body['id']);
  };
  gateway.world.setSignIn({ available: true });
  await admin('POST /api/domains', { domain: 'staff.example.test', skipValidation: true, authentication: true });
  await add('http', 1, { ...HERE, name: 'Desk', domain: 'staff.example.test', requireAuth: true });
  await add('http', 1, { ...HERE, name: '100% wool', pathLocation: '/wool', allowedIps: ['192.0.2.0/24'] });
  await add('http', 1, { ...HERE, name: 'snake_case', pathLocation: '/snake', backendPort: 9090, blockedIps: [] });
  const shut = await add('http', 1, { ...HERE, name: 'Shut', pathLocation: '/shut', blockedIps: ['192.0.2.1'] });
  await admin(`PATCH /api/services/1/http/${shut}/disable`);
  await add('tcp', 1, { ...HERE, name: 'broker', port: 20_001, backendPort: 1883 });
  await add('tcp', ids.siteId, {
    name: 'Radio',
    port: 20_002,
    backendPort: 5000,
    backendHost: '192.0.2.7',
    proto: 'udp',
    domain: 'app.example.test',
  });
});
afterAll(() => gateway.stop());
afterEach(() => expect(gateway.errors).toEqual([]));

const ALL = ['100% wool', 'App', 'broker', 'Desk', 'Radio', 'Sallyport console', 'Shut', 'snake_case', 'Wiki'];

const list = async (query: string, api = admin): Promise<{ data: ListedService[]; total: number }> => {
  const { status, body } = await api(`GET /api/services?limit=100&${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as never;
};
const names = async (query: string, api = admin): Promise<string[]> =>
  (await list(query, api)).data.map(({ name }) => name);

it('has the services of both kinds and all nodes, each with its kind and the place it is at', async () => {
  const { data, total } = await list('orderBy=name,asc');
  expect([data.map(({ name }) => name), total]).toEqual([ALL, ALL.length]);
  const edge = await gateway.store.nodes.get(ids.edgeId);
  expect(data.find(({ name }) => name === 'Wiki')).toEqual({
    ...(await admin(`GET /api/services/${ids.edgeId}/http/${ids.wikiId}`)).body,
    type: 'http',
    nodeName: 'edge',
    nodeAddress: edge?.address,
    lastRequestAt: null,
  });
  expect(data.find(({ name }) => name === 'Radio')).toMatchObject({
    type: 'tcp',
    proto: 'udp',
    nodeName: 'site',
    publicAccess: 'udp://app.example.test:20002',
  });
  expect((await admin('GET /api/services')).body).toHaveLength(ALL.length);
});

it('says of each when its last request came', async () => {
  const { id } = (await list('search=broker')).data[0] ?? { id: 0 };
  gateway.system.logs.push({ kind: 'tcp', id }, [
    '2026-11-27T10:00:00.000Z INFO 192.0.2.1',
    '2026-11-27T10:00:01.250Z INFO 192.0.2.1',
  ]);
  // Ids are unique within a kind alone.
  gateway.system.logs.push({ kind: 'http', id: ids.appId }, ['2026-11-27T11:00:00.000Z WARN 192.0.2.1']);
  const timesOf = async (query: string) =>
    Object.fromEntries((await list(query)).data.map(({ name, lastRequestAt }) => [name, lastRequestAt]));
  expect(await timesOf('orderBy=name,asc')).toMatchObject({
    App: '2026-11-27T11:00:00.000Z',
    broker: '2026-11-27T10:00:01.250Z',
    Wiki: null,
  });
  expect(await timesOf('status=up')).toMatchObject({ broker: '2026-11-27T10:00:01.250Z' });
});

describe('what it is asked for', () => {
  it.each([
    ['wiki', ['Wiki']],
    ['EDGE', ['Wiki']],
    ['app.example', ['App', 'Radio']],
    ['/wool', ['100% wool']],
    ['https://app.example.test/', ['App']],
    ['udp://app.example.test:20002', ['Radio']],
    ['127.0.0.1:9090', ['snake_case']],
    ['192.0.2.7', ['Radio']],
    ['%', ['100% wool']],
    ['_', ['snake_case']],
    ['\\', []],
    ["' or 1=1 --", []],
  ])('finds %s in names, addresses, backends and nodes, as it is written', async (search, found) => {
    const query = `orderBy=name,asc&search=${encodeURIComponent(search)}`;
    expect(await names(query)).toEqual(found);
    expect((await admin(`GET /api/services?limit=1&${query}`)).body['total']).toBe(found.length);
  });

  it('finds a service that names no backend by the address of its node', async () => {
    const edge = await gateway.store.nodes.get(ids.edgeId);
    expect(await names(`search=${edge?.address}`)).toEqual(['Wiki']);
  });

  it.each([
    ['domain=APP.example.test', ['App', 'Radio']],
    ['domain=example.test', []],
    ['type=tcp', ['broker', 'Radio']],
    ['proto=tcp', ['broker']],
    ['proto=udp', ['Radio']],
    ['type=http&proto=tcp', []],
    ['access=sign-in', ['Desk']],
    ['access=list', ['100% wool', 'Shut']],
    ['access=open', ['App', 'broker', 'Radio', 'Sallyport console', 'snake_case', 'Wiki']],
    ['status=closed', ['Shut']],
    ['status=down&search=9090', ['snake_case']],
    ['status=up&search=127.0.0.1&type=tcp', ['broker']],
    ['access=open&type=http&search=app', ['App']],
  ])('narrows it down by %s', async (query, found) => {
    expect(await names(`orderBy=name,asc&${query}`)).toEqual(found);
  });

  it('narrows it down by a node', async () => {
    expect(await names(`nodeId=${ids.siteId}`)).toEqual(['Radio']);
    expect(await names(`nodeId=${ids.siteId}&status=closed`)).toEqual([]);
    expect(await names('nodeId=4711')).toEqual([]);
  });

  it('has each service under one status', async () => {
    const found = await Promise.all(
      ['up', 'down', 'closed', 'failing', 'unknown'].map((status) => names(`status=${status}`)),
    );
    expect(found.flat().toSorted()).toEqual(ALL.toSorted());
    // It answers this very question.
    expect(found[0]).toContain('Sallyport console');
    const { data } = await list('status=failing');
    expect(data.every(({ problem }) => problem !== null)).toBe(true);
    expect(data).not.toEqual([]);
  });

  it('counts what a status leaves, by pages', async () => {
    const { total } = await list('status=failing');
    expect((await admin('GET /api/services?status=failing&limit=1&page=2')).body).toMatchObject({ page: 2, total });
  });

  it.each(['', 'orderBy=name,asc', 'orderBy=node,desc', 'orderBy=address,asc', 'orderBy=enabled,asc'])(
    'comes in pages that are in one order together (%s)',
    async (order) => {
      const whole = await names(order);
      const pages: string[] = [];
      for (const page of [1, 2, 3]) {
        const { body } = await admin(`GET /api/services?limit=3&page=${page}&${order}`);
        expect(body).toMatchObject({ page, limit: 3, total: ALL.length });
        pages.push(...(body['data'] as ListedService[]).map(({ name }) => name));
      }
      expect(pages).toEqual(whole);
    },
  );

  it('is in order of the node and then of the name, or of the address by its host', async () => {
    expect((await list('orderBy=node,desc')).data.map(({ nodeName }) => nodeName)).toEqual([
      'site',
      ...ALL.slice(2).map(() => 'Local'),
      'edge',
    ]);
    const hosts = (await list('orderBy=address,asc')).data.map(({ publicAccess }) => new URL(publicAccess).hostname);
    expect(hosts).toEqual(hosts.toSorted());
    expect((await names('domain=app.example.test&orderBy=address,desc'))[0]).toBe('Radio');
  });

  it.each(['status=open', 'access=none', 'type=udp', 'proto=http', 'orderBy=status,asc', 'tags=a', 'nodeId=x'])(
    'is refused for %s',
    async (query) => {
      const reply = await admin(`GET /api/services?${query}`);
      expect(reply.status).toBe(422);
      expect(JSON.stringify(reply.body['errors'])).toContain(`"field":"${query.split('=')[0]}"`);
    },
  );
});

describe('who asks', () => {
  const withScope = async (scope: string[], nodes: number[] | null) => {
    const { body } = await admin('POST /api/tokens', { name: 'ci', scope, nodes });
    return testApi(gateway, String(body['token']));
  };

  it('is told of the nodes that an API token is limited to, and of no others', async () => {
    const api = await withScope(['services:read'], [ids.edgeId]);
    expect(await names('', api)).toEqual(['Wiki']);
    for (const query of [`nodeId=${ids.siteId}`, 'search=Radio', 'search=site', 'domain=app.example.test']) {
      expect((await list(query, api)).data, query).toEqual([]);
    }
    expect((await list('status=closed', api)).total).toBe(0);
  });

  it('needs the right to read services', async () => {
    expect(await names('orderBy=name,asc', await withScope(['services:read'], null))).toEqual(ALL);
    expect((await (await withScope(['nodes:read'], null))('GET /api/services')).status).toBe(403);
  });

  it('is not a node, which has a list of its own services', async () => {
    const edge = await asNode(gateway, admin, ids.edgeId);
    expect((await edge('GET /api/services')).status).toBe(403);
    expect((await edge('GET /api/cli/services/http')).body).toMatchObject([{ name: 'Wiki' }]);
  });
});
