import { beforeEach, describe, expect, it } from 'vitest';
import { problemsIn, seedEachTest, type SeededGateway } from '../../testing/testApi.ts';
import { hashOfToken } from '../authenticate.ts';

let { gateway, admin: api, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin: api, ids } = seeded));

describe('a new node', () => {
  it('gets a free address and a token that is shown once', async () => {
    const { status, body } = await api('POST /api/nodes', { name: 'n' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'n', address: '10.88.0.4', keepalive: 10, isLocal: false, enabled: true });
    const token = String(body['token']);
    expect(token).toMatch(/^spn_[\w-]{43}$/);
    expect(await gateway.store.tokens.all({ nodeId: Number(body['id']) })).toMatchObject([
      { name: 'default', tokenHash: hashOfToken(token) },
    ]);
    expect(JSON.stringify(await api(`GET /api/nodes/${String(body['id'])}`))).not.toContain(token);
  });

  it('does not get the address of a node that was just deleted', async () => {
    const { body } = await api('POST /api/nodes', { name: 'n', address: '' });
    expect(body['address']).toBe('10.88.0.4');
    await api(`DELETE /api/nodes/${String(body['id'])}`);
    expect((await api('POST /api/nodes', { name: 'n' })).body['address']).toBe('10.88.0.5');
  });

  it('does not get the address from which another one has just moved away', async () => {
    const { body } = await api('POST /api/nodes', { name: 'n' });
    expect(body['address']).toBe('10.88.0.4');
    expect((await api(`PATCH /api/nodes/${String(body['id'])}`, { address: '10.88.0.9' })).status).toBe(200);
    expect((await api('POST /api/nodes', { name: 'm' })).body['address']).toBe('10.88.0.5');
  });

  it('gets the lowest free address where there is none behind the last one', async () => {
    await gateway.store.write((tx) => tx.settings.set('lastNodeAddress', '10.88.255.254'));
    await api(`DELETE /api/nodes/${ids.edgeId}`);
    expect((await api('POST /api/nodes', { name: 'n' })).body['address']).toBe('10.88.0.2');
  });

  it('does not get that of a node deleted before any address was given in turn', async () => {
    await api(`DELETE /api/nodes/${ids.siteId}`);
    expect((await api('POST /api/nodes', { name: 'n' })).body['address']).toBe('10.88.0.4');
  });

  it.each([
    ['outside', '192.0.2.7'],
    ['the network itself', '10.88.0.0'],
    ['the gateway’s own', '10.88.0.1'],
    ['the broadcast', '10.88.255.255'],
    ['taken', '10.88.0.2'],
  ])('cannot have an address that is %s', async (_, address) => {
    expect(Object.keys(problemsIn(await api('POST /api/nodes', { name: 'n', address })))).toEqual(['address']);
  });

  it('takes the short and the full form of its networks', async () => {
    const short = await api('POST /api/nodes', { name: 'a', isGateway: true, gatewayNetwork: '198.51.100.0/24' });
    expect(short.body).toMatchObject({
      gatewayNetwork: '198.51.100.0/24',
      gatewayNetworks: [{ interface: 'eth0', subnet: '198.51.100.0/24' }],
    });
    const networks = [{ interface: 'lan', subnet: '203.0.113.0/24' }];
    const full = await api('POST /api/nodes', { name: 'b', isGateway: true, gatewayNetworks: networks });
    expect(full.body).toMatchObject({ gatewayNetwork: '203.0.113.0/24', gatewayNetworks: networks });
  });

  it('cannot reach into the tunnel’s own network', async () => {
    const reply = await api('POST /api/nodes', { name: 'a', isGateway: true, gatewayNetwork: '10.0.0.0/8' });
    expect(Object.keys(problemsIn(reply))).toEqual(['gatewayNetwork']);
  });
});

describe('the subnets behind a node', () => {
  const behind = (gatewayNetwork: string, name = 'a') =>
    api('POST /api/nodes', { name, isGateway: true, gatewayNetwork });
  const problem = async (subnet: string) => problemsIn(await behind(subnet))['gatewayNetwork'];

  it.each(['192.0.2.0/24', '192.0.2.128/25', '192.0.0.0/16', '192.0.2.7/32'])(
    'are another node’s already: %s',
    async (subnet) => {
      expect(await problem(subnet)).toBe('The subnet overlaps 192.0.2.0/24, which is behind the node site');
    },
  );

  it('are none to which the gateway’s own machine has a route', async () => {
    gateway.world.setLocalRoutes([{ network: '198.51.100.0/24', device: 'docker0' }]);
    expect(await problem('198.51.100.128/25')).toBe(
      "The subnet overlaps 198.51.100.0/24, to which the gateway's own machine has a route (docker0)",
    );
  });

  it('are IPv4, and do not overlap each other', async () => {
    expect(await problem('2001:db8::/64')).toBe('The tunnel carries IPv4 alone. Give an IPv4 subnet');
    const gatewayNetworks = ['203.0.113.0/25', '203.0.113.0/24'].map((subnet) => ({ interface: 'eth0', subnet }));
    const reply = await api('POST /api/nodes', { name: 'a', isGateway: true, gatewayNetworks });
    expect(problemsIn(reply)).toEqual({
      'gatewayNetworks.1.subnet': 'The subnet overlaps 203.0.113.0/25, another one of this node',
    });
  });

  it('do not keep anybody from changing something else when a route came later', async () => {
    gateway.world.setLocalRoutes([{ network: '192.0.2.0/24', device: 'eth1' }]);
    expect((await api(`PATCH /api/nodes/${ids.siteId}`, { name: 'plant' })).status).toBe(200);
    const moved = await api(`PATCH /api/nodes/${ids.siteId}`, { gatewayNetwork: '192.0.2.0/25' });
    expect(Object.keys(problemsIn(moved))).toEqual(['gatewayNetwork']);
  });
});

describe('the configuration', () => {
  const headers = async () => ({ authorization: `Bearer ${await gateway.signIn()}` });

  it('is a file that no cache keeps, whatever the name of the node is', async () => {
    for (const name of ['"; rm -rf /', '../../etc/passwd', "x'`$(reboot)`", 'é'.repeat(200)]) {
      const { body } = await api('POST /api/nodes', { name });
      const id = Number(body['id']);
      const reply = await gateway.fetch(`/api/nodes/${id}/download`, { headers: await headers() });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-disposition')).toBe(`attachment; filename="sp-${id}.conf"`);
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(await reply.text()).not.toContain(name);
    }
  });

  it.each(['a\nPostUp = reboot', 'a\r\nb', 'a\u2028b', 'a\u0000b'])('is never of a node called %j', async (name) => {
    const reply = await api('POST /api/nodes', { name });
    expect(problemsIn(reply)['name']).toBeDefined();
  });

  it('has no commands for an app', async () => {
    const path = `/api/nodes/${ids.siteId}/download`;
    expect(await (await gateway.fetch(path, { headers: await headers() })).text()).toContain('PostUp');
    const app = await gateway.fetch(`${path}?for=app`, { headers: await headers() });
    expect(await app.text()).not.toContain('Post');
  });

  it('is none of the local node', async () => {
    const { status, body } = await api('GET /api/nodes/1/download');
    expect(status).toBe(400);
    expect(body['message']).toBe("Local node doesn't have wireguard config");
  });
});

describe('a change', () => {
  it('clears the networks of a node that is no gateway any more', async () => {
    const { body } = await api(`PATCH /api/nodes/${ids.siteId}`, { isGateway: false });
    expect(body).toMatchObject({ isGateway: false, gatewayNetwork: null, gatewayNetworks: null });
  });

  it('does not take the networks away from a gateway', async () => {
    expect(Object.keys(problemsIn(await api(`PATCH /api/nodes/${ids.siteId}`, { gatewayNetwork: '' })))).toEqual([
      'gatewayNetwork',
    ]);
  });

  it('keeps the address when none is given, and moves it within the network', async () => {
    expect((await api(`PATCH /api/nodes/${ids.edgeId}`, { address: '' })).body['address']).toBe('10.88.0.2');
    expect((await api(`PATCH /api/nodes/${ids.edgeId}`, { address: '10.88.9.9' })).body['address']).toBe('10.88.9.9');
    const taken = await api(`PATCH /api/nodes/${ids.edgeId}`, { address: '10.88.0.3' });
    expect(problemsIn(taken)).toEqual({ address: 'Record already exists with the same value in address' });
  });
});

describe('the local node', () => {
  it.each([
    ['PATCH /api/nodes/1', "Local node can't be updated"],
    ['PATCH /api/nodes/1/enable', "Local node can't be updated"],
    ['PATCH /api/nodes/1/disable', "Local node can't be updated"],
    ['DELETE /api/nodes/1', "Local node can't be deleted"],
  ] as const)('refuses %s', async (call, message) => {
    expect(await api(call, call === 'PATCH /api/nodes/1' ? { name: 'x' } : undefined)).toMatchObject({
      status: 400,
      body: { message },
    });
  });
});

describe('status', () => {
  it('is what the tunnel knows, and offline for a node that is disabled', async () => {
    gateway.world.setNodeRuntime(ids.edgeId, { status: 'online', clientIp: '198.51.100.9', transferRx: 7 });
    expect((await api(`GET /api/nodes/${ids.edgeId}`)).body).toMatchObject({ status: 'online', transferRx: 7 });
    const { body } = await api(`PATCH /api/nodes/${ids.edgeId}/disable`);
    expect(body).toMatchObject({ enabled: false, status: 'offline', clientIp: null });
    expect((await api(`PATCH /api/nodes/${ids.edgeId}/enable`)).body).toMatchObject({ status: 'online' });
  });
});

it('lists gateways apart from the others', async () => {
  const names = async (query: string) =>
    ((await api(`GET /api/nodes?limit=10&${query}`)).body['data'] as { name: string }[]).map(({ name }) => name);
  expect(await names('type=gateways')).toEqual(['site']);
  expect(await names('type=nodes')).toEqual(['Local', 'edge']);
  expect(await names('orderBy=name,desc')).toEqual(['Local', 'site', 'edge']);
});

describe('ordered by what the tunnel knows', () => {
  const page = async (query: string) => {
    const { body } = await api(`GET /api/nodes?${query}`);
    return { ...body, data: (body['data'] as { name: string }[]).map(({ name }) => name) };
  };
  beforeEach(async () => {
    await api('POST /api/nodes', { name: 'never' });
    gateway.world.setNodeRuntime(ids.edgeId, { status: 'idle', latestHandshakeTimestamp: 2000, transferRx: 5 });
    gateway.world.setNodeRuntime(ids.siteId, { status: 'online', latestHandshakeTimestamp: 1000, transferRx: 0 });
  });

  it.each([
    ['latestHandshakeTimestamp,asc', ['Local', 'site', 'edge', 'never']],
    ['latestHandshakeTimestamp,desc', ['Local', 'edge', 'site', 'never']],
    ['transferRx,asc', ['Local', 'site', 'edge', 'never']],
    ['status,asc', ['Local', 'never', 'edge', 'site']],
    ['status,desc', ['Local', 'site', 'edge', 'never']],
    ['isGateway,desc', ['Local', 'site', 'edge', 'never']],
  ])('%s: the local node first, those without a value last', async (orderBy, names) => {
    expect((await page(`limit=10&orderBy=${orderBy}`)).data).toEqual(names);
  });

  it('is paged, searched and filtered like any other order', async () => {
    const order = 'orderBy=status,desc';
    expect(await page(`limit=2&page=2&${order}`)).toEqual({ data: ['edge', 'never'], page: 2, limit: 2, total: 4 });
    expect(await page(`limit=9&page=2&${order}`)).toEqual({ data: [], page: 2, limit: 9, total: 4 });
    expect((await page(`limit=9&search=e&${order}`)).data).toEqual(['site', 'edge', 'never']);
    expect((await page(`limit=9&type=gateways&${order}`)).data).toEqual(['site']);
  });
});

describe('the name of a node', () => {
  const TAKEN = { name: 'Record already exists with the same value in name' };

  it.each(['edge', 'EDGE', 'ed\u200Bge', 'Local'])('is its own: %s is taken, and nothing is made', async (name) => {
    const before = await gateway.store.desired();
    const reply = await api('POST /api/nodes', { name });
    expect([reply.status, problemsIn(reply)]).toEqual([422, TAKEN]);
    expect(await gateway.store.desired()).toEqual(before);
  });

  it('cannot become that of another one, but may change its case', async () => {
    expect(problemsIn(await api(`PATCH /api/nodes/${ids.edgeId}`, { name: 'Site' }))).toEqual(TAKEN);
    expect((await api(`PATCH /api/nodes/${ids.edgeId}`, { name: 'Edge' })).body['name']).toBe('Edge');
    expect((await api(`PATCH /api/nodes/${ids.edgeId}`, { name: 'Edge', keepalive: 25 })).status).toBe(200);
  });

  it('is given once when two ask for it at the same time, also with letters beyond ASCII', async () => {
    const replies = await Promise.all(['Büro', 'BÜRO', 'bu\u0308ro'].map((name) => api('POST /api/nodes', { name })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422]);
  });

  it('is free again when the node is gone', async () => {
    await api(`DELETE /api/nodes/${ids.edgeId}`);
    expect((await api('POST /api/nodes', { name: 'edge' })).status).toBe(200);
  });
});

describe('the DNS servers of a node', () => {
  it.each(['nine', '999.1.1.1', '192.0.2.53; reboot', '192.0.2.0/24', '...', '192.0.2.53,,x'])(
    'are refused when the node is saved, not when it is downloaded: %s',
    async (dns) => {
      const message = '"dns" must be one or more ip addresses separated by a comma or a space';
      expect(problemsIn(await api('POST /api/nodes', { name: 'n', dns }))).toEqual({ dns: message });
      expect(problemsIn(await api(`PATCH /api/nodes/${ids.edgeId}`, { dns }))).toEqual({ dns: message });
    },
  );

  it.each(['192.0.2.53', '192.0.2.53,2001:db8::53', '192.0.2.53, 192.0.2.54 192.0.2.55'])(
    'are kept: %s',
    async (dns) => {
      expect((await api(`PATCH /api/nodes/${ids.edgeId}`, { dns })).body['dns']).toBe(dns);
    },
  );

  it('that were stored before they were checked do not keep a host from joining, nor anybody from changing it', async () => {
    await gateway.store.write((tx) => tx.nodes.update(ids.edgeId, { dns: '999.1.1.1, 192.0.2.53' }));
    const headers = { authorization: `Bearer ${await gateway.signIn()}` };
    const reply = await gateway.fetch(`/api/nodes/${ids.edgeId}/download?for=app`, { headers });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain('DNS = 192.0.2.53\n');
    expect((await api(`PATCH /api/nodes/${ids.edgeId}`, { name: 'border' })).body).toMatchObject({
      name: 'border',
      dns: '192.0.2.53',
    });
  });
});
