import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  asNode,
  holdNextGeneration,
  problemsIn,
  seedEachTest,
  type SeededGateway,
  testApi,
  type TestApi,
} from '../../testing/testApi.ts';

// Which subnets may be routed into the tunnel: by the administrator, and by the access token of the node behind which
// they are.

let { gateway, admin, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin, ids } = seeded));
let site: TestApi;

beforeEach(async () => {
  site = await asNode(gateway, admin, ids.siteId);
});

const byToken = async (gatewayNetwork: string) =>
  problemsIn(await site('PATCH /api/cli/node/gateway', { gatewayNetwork }))['gatewayNetwork'];
const byAdmin = async (gatewayNetwork: string) =>
  problemsIn(await admin(`PATCH /api/nodes/${ids.siteId}`, { gatewayNetwork }))['gatewayNetwork'];
const subnet = async () => (await gateway.store.nodes.get(ids.siteId))?.gatewayNetworks?.[0]?.subnet;

describe('the token of a gateway node', () => {
  it.each(['10.1.0.0/16', '10.16.0.0/12', '172.31.0.0/16', '192.168.7.0/24', '192.168.16.0/20', '100.64.0.0/14'])(
    'may route %s',
    async (network) => {
      expect(await byToken(network)).toBeUndefined();
      expect(await subnet()).toBe(network);
    },
  );

  it.each(['8.0.0.0/8', '198.51.100.0/24', '172.0.0.0/8', '192.168.0.0/15', '100.0.0.0/8', '11.1.1.1/32'])(
    'may not route %s, which is not private',
    async (network) => {
      expect(await byToken(network)).toBe(
        'A node itself may only give private networks: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10. The administrator can allow it others',
      );
      expect(await subnet()).toBe('192.0.2.0/24');
      expect(await byAdmin(network)).toBeUndefined();
    },
  );

  it('may route as much of a range in several networks as in one, whichever token asks', async () => {
    const body = { name: 'limited', scope: ['nodes:write'], nodes: [ids.siteId] };
    const limited = testApi(gateway, String((await admin('POST /api/tokens', body)).body['token']));
    const { body: node } = await admin(`GET /api/nodes/${ids.siteId}`);
    const [first] = node['gatewayNetworks'] as object[];
    const behind = (each: string) => ({ ...first, subnet: each });
    const networks = (...subnets: string[]) =>
      limited(`PATCH /api/nodes/${ids.siteId}`, { gatewayNetworks: [first, ...subnets.map(behind)] });
    expect(problemsIn(await networks('10.16.0.0/13', '10.24.0.0/13', '172.16.0.0/16'))).toEqual({});
    expect(problemsIn(await networks('10.16.0.0/13', '10.24.0.0/13', '172.16.0.0/16', '10.32.0.0/24'))).toEqual({
      'gatewayNetworks.4.subnet': expect.stringContaining('at most a /12 of 10.0.0.0/8'),
    });
  });

  it.each([
    ['10.32.0.0/11', '10.0.0.0/12', '10.0.0.0/8'],
    ['172.16.0.0/12', '172.16.0.0/16', '172.16.0.0/12'],
    ['192.168.0.0/16', '192.168.0.0/20', '192.168.0.0/16'],
    ['100.64.0.0/10', '100.64.0.0/14', '100.64.0.0/10'],
  ])('may not route %s, which other nodes need a part of, unless it is allowed to', async (network, most, range) => {
    const prefix = most.split('/')[1];
    expect(await byToken(network)).toBe(
      `A node itself may give at most a /${prefix} of ${range}, since other nodes have networks there, too. Give a smaller subnet, or ask the administrator to allow it this one`,
    );
    expect(await subnet()).toBe('192.0.2.0/24');
    await admin(`PATCH /api/nodes/${ids.siteId}`, { allowedNetworks: [range] });
    expect(await byToken(network)).toBeUndefined();
    // It is the node's by now, and what it keeps or gives a part of needs no one's leave.
    await admin(`PATCH /api/nodes/${ids.siteId}`, { allowedNetworks: [] });
    expect(await byToken(network)).toBeUndefined();
  });

  it('may route what the administrator allowed it, and parts of that', async () => {
    await admin(`PATCH /api/nodes/${ids.siteId}`, { allowedNetworks: ['198.51.100.0/24'] });
    expect(await byToken('198.51.100.128/25')).toBeUndefined();
    expect(await byToken('198.51.100.0/24')).toBeUndefined();
    expect(await byToken('198.51.0.0/16')).toMatch(/private/);
  });

  it('is not told for what the gateway uses a subnet', async () => {
    gateway.world.setLocalRoutes([{ network: '10.7.0.0/16', device: 'docker0' }]);
    gateway.world.setUsedAddresses([{ address: '10.8.0.53', use: 'a DNS server of this machine' }]);
    await admin('POST /api/nodes', { name: 'plant', isGateway: true, gatewayNetwork: '10.9.0.0/16' });
    await admin(`PATCH /api/nodes/${ids.siteId}`, { allowedNetworks: ['10.0.0.0/8'] });
    for (const network of ['10.7.1.0/24', '10.0.0.0/8', '10.8.0.0/24', '10.9.3.0/24', '10.88.0.0/16']) {
      expect(await byToken(network)).toBe(
        'The gateway uses this subnet, or a part of it. Choose another one, or ask the administrator',
      );
    }
  });

  it('may not route what another node has still open connections to, which the administrator ends', async () => {
    const { tunnel, openConnections } = gateway.system;
    tunnel.setStatus({ available: true });
    const plant = { name: 'plant', isGateway: true, gatewayNetwork: '10.9.0.0/16' };
    const id = Number((await admin('POST /api/nodes', plant)).body['id']);
    const service = { name: 'Web', pathLocation: '/web', backendHost: '10.9.3.3', backendPort: 80 };
    await admin(`POST /api/services/${id}/http`, service);
    await admin(`DELETE /api/nodes/${id}`);
    expect(await byToken('10.9.3.0/24')).toMatch(/^The gateway uses this subnet/);
    expect(await byToken('10.9.4.0/24')).toBeUndefined();
    expect(openConnections.ended()).toBe(0);
    expect(await byAdmin('10.9.3.0/24')).toBeUndefined();
    expect(openConnections.ended()).toBe(1);
    await admin(`PATCH /api/nodes/${ids.siteId}`, { allowedNetworks: ['10.9.0.0/16'] });
    expect(await byToken('10.9.0.0/16')).toBeUndefined();
  });

  it('may not route what another node has left while a service there was just being opened', async () => {
    const { tunnel, openConnections } = gateway.system;
    tunnel.setStatus({ available: true });
    const plant = { name: 'plant', isGateway: true, gatewayNetwork: '10.9.0.0/16' };
    const id = Number((await admin('POST /api/nodes', plant)).body['id']);
    const { begun, loaded } = holdNextGeneration(gateway);
    const service = { name: 'Web', pathLocation: '/web', backendHost: '10.9.3.3', backendPort: 80 };
    const opening = admin(`POST /api/services/${id}/http`, service);
    await begun;
    const left = admin(`PATCH /api/nodes/${id}`, { isGateway: false, gatewayNetwork: null });
    await vi.waitFor(async () => expect(await gateway.store.nodes.get(id)).toMatchObject({ isGateway: false }));
    expect(await byToken('10.9.3.0/24')).toMatch(/^The gateway uses this subnet/);
    loaded();
    await Promise.all([opening, left]);
    expect(openConnections.ended()).toBe(0);
  });

  it('gives another part of what it has', async () => {
    await byAdmin('10.9.0.0/16');
    expect(await byToken('10.9.3.0/24')).toBeUndefined();
    expect(await byToken('10.9.0.0/20')).toBeUndefined();
  });

  it('keeps what the administrator gave it, or a part of that', async () => {
    await byAdmin('8.0.0.0/8');
    expect(await byToken('8.0.0.0/8')).toBeUndefined();
    expect(await byToken('8.8.0.0/16')).toBeUndefined();
    expect(await byToken('8.9.0.0/16')).toMatch(/private/);
  });

  it('does not overwrite what the administrator changes at the same moment', async () => {
    const networks = ['192.168.1.0/24', '192.168.2.0/24'].map((each) => ({ interface: 'eth0', subnet: each }));
    const [, other] = await Promise.all([
      site('PATCH /api/cli/node/gateway', { gatewayNetwork: '10.1.0.0/16' }),
      admin(`PATCH /api/nodes/${ids.siteId}`, { gatewayNetworks: networks }),
    ]);
    expect(other.status).toBe(200);
    const row = await gateway.store.nodes.get(ids.siteId);
    expect(row?.gatewayNetworks?.slice(1)).toEqual(networks.slice(1));
  });

  it.each([
    ['the version that it read', 0],
    ['a version that is yet to come', 1],
  ])('does not overwrite what the administrator changes meanwhile, with %s', async (_, ahead) => {
    const networks = ['192.168.1.0/24', '192.168.2.0/24'].map((each) => ({ interface: 'eth0', subnet: each }));
    const version = (await gateway.store.nodes.get(ids.siteId))?.version ?? 0;
    // What the machine is asked takes time.
    gateway.world.setLocalRoutes(async () => {
      await gateway.store.write((tx) => tx.nodes.update(ids.siteId, { gatewayNetworks: networks }));
      return [];
    });
    const ifMatch = { 'if-match': `"${version + ahead}"` };
    const reply = await site('PATCH /api/cli/node/gateway', { gatewayNetwork: '10.1.0.0/16' }, ifMatch);
    expect(reply.status).toBe(412);
    expect(await subnet()).not.toBe('10.1.0.0/16');
  });
});

describe('nobody', () => {
  it.each([
    ['0.0.0.0/0', 'This is every address'],
    ['0.1.0.0/16', '0.0.0.0/8 is no network of hosts: it stands for an address that is not known'],
    ['127.0.0.0/8', '127.0.0.0/8 is loopback: each machine means itself by it'],
    ['127.1.2.3/32', '127.0.0.0/8 is loopback: each machine means itself by it'],
    ['169.254.10.0/24', '169.254.0.0/16 is link-local: it is known on one link only'],
    ['224.0.0.0/24', '224.0.0.0/4 is multicast: it has groups, not hosts'],
    ['239.255.255.255/32', '224.0.0.0/4 is multicast: it has groups, not hosts'],
    ['255.255.255.255/32', '255.255.255.255/32 is broadcast: it means all hosts of a link'],
    ['240.1.0.0/16', '240.0.0.0/4 is reserved: no host has such an address'],
    ['8.0.0.0/7', 'The network is too large: give one of /8 or smaller'],
    ['::/0', 'This is every address'],
    ['ff02::/16', 'ff00::/8 is multicast: it has groups, not hosts'],
    ['fe80::/64', 'fe80::/10 is link-local: it is known on one link only'],
    ['::1/128', '::1/128 is loopback: each machine means itself by it'],
    ['fd00:1::/64', 'The tunnel carries IPv4 alone. Give an IPv4 subnet'],
  ])('may route %s', async (network, reason) => {
    expect(await byAdmin(network)).toBe(reason);
    expect(await byToken(network)).toBe(reason);
    const allowed = await admin(`PATCH /api/nodes/${ids.siteId}`, { allowedNetworks: [network] });
    expect(allowed.status).toBe(200);
    expect(await byToken(network)).toBe(reason);
    expect(await subnet()).toBe('192.0.2.0/24');
  });

  it('may route an address of the gateway, its router or its DNS servers', async () => {
    gateway.world.setUsedAddresses([
      { address: '203.0.113.9', use: 'the address of eth0' },
      { address: '192.168.1.53', use: 'a DNS server of this machine' },
    ]);
    expect(await byAdmin('203.0.113.0/24')).toBe(
      "The subnet contains 203.0.113.9, the address of eth0, which the gateway's own machine needs",
    );
    expect(await byAdmin('192.168.0.0/16')).toBe(
      "The subnet contains 192.168.1.53, a DNS server of this machine, which the gateway's own machine needs",
    );
    expect(await byAdmin('192.168.2.0/24')).toBeUndefined();
  });
});

describe('the DNS server of a gateway node', () => {
  const set = async (change: object) => problemsIn(await admin(`PATCH /api/nodes/${ids.siteId}`, change))['resolver'];
  const resolver = async () => (await gateway.store.nodes.get(ids.siteId))?.resolver;

  it('is within its subnets, or the node itself', async () => {
    const { address } = (await gateway.store.nodes.get(ids.siteId)) ?? {};
    const message = `The DNS server must be within ${address}, 192.0.2.0/24`;
    const others = ['198.51.100.53', '127.0.0.1', '10.88.0.1', '169.254.169.254'];
    expect(await Promise.all(others.map((each) => set({ resolver: each })))).toEqual(others.map(() => message));
    expect(await resolver()).toBeNull();
    expect(await set({ resolver: 'dns.lan' })).toBeDefined();
    expect(await set({ resolver: address })).toBeUndefined();
    expect(await set({ resolver: '192.0.2.53' })).toBeUndefined();
    expect(await resolver()).toBe('192.0.2.53');
    expect(await set({ gatewayNetwork: '198.51.100.0/24', resolver: '192.0.2.53' })).toContain('198.51.100.0/24');
  });

  it('is not named by its token, which may take its network away', async () => {
    await set({ resolver: '192.0.2.53' });
    await site('PATCH /api/cli/node/gateway', { gatewayNetwork: '192.168.7.0/24', resolver: '192.168.7.53' });
    expect(await resolver()).toBe('192.0.2.53');
    expect(await byToken('192.168.7.0/24')).toBeUndefined();
    expect([await subnet(), await resolver()]).toEqual(['192.168.7.0/24', '192.0.2.53']);
  });

  it('goes with the networks, and is none of a node that is no gateway', async () => {
    await set({ resolver: '192.0.2.53' });
    expect(await set({ isGateway: false })).toBeUndefined();
    expect(await resolver()).toBeNull();
    expect(await set({ resolver: '192.0.2.53' })).toBeDefined();
  });
});

it('leads to a hundred subnets at most, since each is compared with all others', async () => {
  const networks = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ interface: 'eth0', subnet: `10.100.0.${index}/32` }));
  const path = `PATCH /api/nodes/${ids.siteId}` as const;
  expect((await admin(path, { gatewayNetworks: networks(100) })).status).toBe(200);
  expect(problemsIn(await admin(path, { gatewayNetworks: networks(101) }))).toEqual({
    gatewayNetworks: expect.stringContaining('less than or equal to 100 items'),
  });
});
