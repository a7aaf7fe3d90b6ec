import { expect, it, vi } from 'vitest';
import { closedConnectionsOf } from './closedConnections.ts';
import { createConnectionCutter } from './connectionCutter.ts';
import { createFakeConnections } from '../testing/fakeIngress.ts';
import type { OpenService, OpenServices, Visitors } from './openServices.ts';
import type { HttpServiceRow, TcpServiceRow } from '../store/rows.ts';
import { testHttpService, testNode, testTcpService } from '../testing/storedRows.ts';

/** The only open service, of that row. */
const only = (
  service: Omit<OpenService, 'id' | 'version' | 'sourceAddress' | 'remoteNode' | 'networks'>,
): OpenServices => {
  const { id, version } = service.row;
  return new Map([
    [`${service.kind} 7` as const, { ...service, id, version, sourceAddress: null, remoteNode: null, networks: null }],
  ]);
};

const http = (
  change: Partial<HttpServiceRow> = {},
  addresses = ['127.0.0.5'],
  visitors: Visitors = 'everybody',
): OpenServices => {
  const row = testHttpService(7, { backendHost: 'app.lan', backendPort: 8080, ...change });
  return only({ kind: 'httpService', row, publicPort: null, proto: row.backendProto, addresses, visitors });
};

/** A service as one of a node behind the tunnel, under another key. */
const ofNode = (remoteNode: number, services: OpenServices): OpenServices =>
  new Map(
    [...services.values()].map((service) => [`httpService ${remoteNode}`, { ...service, id: remoteNode, remoteNode }]),
  );

const tcp = (change: Partial<TcpServiceRow> = {}): OpenServices => {
  const row = testTcpService(7, { backendHost: '::1', port: 20_001, ...change });
  const { port: publicPort, proto } = row;
  return only({ kind: 'tcpService', row, publicPort, proto, addresses: ['::1'], visitors: 'everybody' });
};
const NONE: OpenServices = new Map();
const closedConnections = (before: OpenServices, after: OpenServices) =>
  [...before].flatMap(([key, service]) => closedConnectionsOf(service, after.get(key)));
const toBackend = { kind: 'backend', protocol: 'tcp', address: '127.0.0.5', port: 8080, through: 'machine' };
const toPort = { kind: 'public', port: 20_001 };

it('ends what leads to the backends of an HTTP service that was closed', () => {
  expect(closedConnections(http({}, ['127.0.0.5', '::1']), NONE)).toEqual([
    toBackend,
    { ...toBackend, address: '::1' },
  ]);
});

it('ends what came to the public port of a TCP service, and what a UDP service leads to', () => {
  expect(closedConnections(tcp(), NONE)).toEqual([toPort]);
  expect(closedConnections(tcp({ proto: 'udp' }), NONE)).toEqual([
    { ...toBackend, protocol: 'udp', address: '::1', port: 1883 },
  ]);
});

it('leaves a service alone that is as it was, was opened, has moved, or lets in more', () => {
  expect(closedConnections(http(), http())).toEqual([]);
  expect(closedConnections(NONE, http())).toEqual([]);
  expect(closedConnections(http(), http({ backendPort: 9090, name: 'other' }, ['127.0.0.6']))).toEqual([]);
  expect(closedConnections(http({ blockedIps: ['192.0.2.7'] }), http())).toEqual([]);
  expect(
    closedConnections(http({ allowedIps: ['192.0.2.7'] }), http({ allowedIps: ['192.0.2.8', '192.0.2.7'] })),
  ).toEqual([]);
  expect(closedConnections(http({ allowedIps: ['192.0.2.7'] }), http({ allowedIps: [] }))).toEqual([]);
});

it.each([
  ['someone is blocked', {}, { blockedIps: ['192.0.2.7'] }],
  ['only some are let in', {}, { allowedIps: ['192.0.2.7'] }],
  ['only some are let in, by a list that was empty', { allowedIps: [] }, { allowedIps: ['192.0.2.7'] }],
  ['fewer are let in', { allowedIps: ['192.0.2.7', '192.0.2.8'] }, { allowedIps: ['192.0.2.8'] }],
])('ends what an HTTP service has open when %s', (_what, before, after) => {
  expect(closedConnections(http(before), http(after))).toEqual([toBackend]);
});

const guarded = (visitors: Visitors, skipAuthRoutes: string | null = null): OpenServices =>
  http({ requireAuth: true, skipAuthRoutes }, undefined, visitors);
const emails = (...list: string[]): Visitors => ({ emails: list });

it.each([
  ['visitors must sign in', http(), guarded({ emails: null })],
  ['an e-mail is taken off the list', guarded(emails('ann@a.test', 'bob@a.test')), guarded(emails('bob@a.test'))],
  ['there is a list now', guarded({ emails: null }), guarded(emails('ann@a.test'))],
  ['authentication is turned off', guarded(emails('ann@a.test')), guarded('nobody')],
  ['it was open to all and no one can sign in', http(), guarded('nobody')],
  ['a path must be signed in for', guarded({ emails: null }, '/a\n/b'), guarded({ emails: null }, '/b')],
])('ends what a service has open when %s', (_what, before, after) => {
  expect(closedConnections(before, after)).toEqual([toBackend]);
});

it.each([
  ['as it was', guarded({ emails: null }), guarded({ emails: null })],
  ['spelled otherwise', guarded(emails('Ann@A.test')), guarded(emails('ann@a.test'))],
  ['longer', guarded(emails('ann@a.test')), guarded(emails('bob@a.test', 'ann@a.test'))],
  ['gone', guarded(emails('ann@a.test')), guarded(emails())],
  ['not needed any more', guarded(emails('ann@a.test')), http()],
  ['of use again', guarded('nobody'), guarded(emails('ann@a.test'))],
])('ends nothing when the list of those who may sign in is %s', (_what, before, after) => {
  expect(closedConnections(before, after)).toEqual([]);
});

it('ends just the connections of visitors whom a TCP service blocks', () => {
  const before = tcp({ blockedIps: ['192.0.2.7'] });
  expect(closedConnections(before, tcp({ blockedIps: ['192.0.2.7', '198.51.100.0/24'] }))).toEqual([
    { ...toPort, clients: ['198.51.100.0/24'] },
  ]);
  expect(closedConnections(tcp(), tcp({ allowedIps: ['192.0.2.7'] }))).toEqual([toPort]);
});

it('knows IPv4 in the spelling of IPv6, and passes over what is no address', () => {
  const blockedIps = ['::ffff:198.51.100.0/120', '0.0.0.0/0 or', '2001:db8::/32'];
  expect(closedConnections(tcp(), tcp({ blockedIps }))).toEqual([
    { ...toPort, clients: ['198.51.100.0/24', '2001:db8:0:0:0:0:0:0/32'] },
  ]);
});

it('leaves alone what is another node’s by now, though a service that closed led there once', async () => {
  const connections = createFakeConnections();
  const cutter = createConnectionCutter(connections, { info: () => undefined, warn: () => undefined });
  const subnetHost = ['172.20.0.2'];
  await cutter.follow(ofNode(2, http({}, subnetHost)));
  // The network is moved to another node; the first one's service is not reached any more, and is still in the list.
  const unreached = ofNode(2, http({}, []));
  await cutter.follow(unreached);
  await cutter.follow(new Map([...unreached, ...ofNode(3, http({}, subnetHost))]));
  await cutter.follow(ofNode(3, http({}, subnetHost)));
  expect(connections.cuts).toEqual([]);
  await cutter.follow(NONE);
  expect(connections.cuts).toEqual([[{ ...toBackend, address: '172.20.0.2', through: 'tunnel' }]]);
  cutter.stop();
});

it('ends what leads to a network that its node has lost, before and after another node has it', async () => {
  const connections = createFakeConnections();
  const cutter = createConnectionCutter(connections, { info: () => undefined, warn: () => undefined });
  const of = (node: number, networks: string[], addresses = ['172.20.0.2']): OpenServices =>
    new Map([...ofNode(node, http({}, addresses))].map(([key, service]) => [key, { ...service, networks }]));
  const ended = [{ ...toBackend, address: '172.20.0.2', through: 'tunnel' }];
  const [ADDRESS, NETWORK] = ['10.88.0.2', '172.20.0.0/16'];
  await cutter.follow(of(2, [ADDRESS, NETWORK]));
  // The tunnel is away for a moment.
  await cutter.follow(of(2, [ADDRESS, NETWORK], []));
  expect(connections.cuts).toEqual([]);
  await cutter.follow(of(2, [ADDRESS], []));
  expect(connections.cuts).toEqual([ended]);
  cutter.stop();
  const atOnce = new Map([...of(2, [ADDRESS], []), ...of(3, ['10.88.0.3', NETWORK])]);
  expect(closedConnections(of(2, [ADDRESS, NETWORK]), atOnce)).toEqual(ended);
});

it('ends what a TCP service has open by the ports that it had before, also after a restart', async () => {
  const connections = createFakeConnections();
  const silent = { info: () => undefined, warn: () => undefined };
  const cutter = createConnectionCutter(connections, silent);
  await cutter.follow(tcp());
  await cutter.follow(tcp({ port: 20_002 }));
  expect(connections.cuts).toEqual([]);
  cutter.stop();
  const next = createConnectionCutter(connections, silent);
  await next.follow(tcp({ port: 20_003 }));
  await next.follow(tcp({ port: 20_003, blockedIps: ['192.0.2.7'] }));
  const clients = ['192.0.2.7'];
  const all = [20_003, 20_002, 20_001].map((port) => ({ kind: 'public', port }));
  expect(connections.cuts.splice(0).flat()).toEqual(all.map((target) => ({ ...target, clients })));
  await next.follow(NONE);
  expect(connections.cuts.splice(0).flat()).toEqual(all);
  // They are closed now.
  await next.follow(tcp({ port: 20_004 }));
  await next.follow(NONE);
  expect(connections.cuts).toEqual([[{ ...toPort, port: 20_004 }]]);
  next.stop();
});

it('ends nothing that others have open where a service was before, or came later, also after a restart', async () => {
  const connections = createFakeConnections();
  const cut = vi.spyOn(connections, 'cut');
  const silent = { info: () => undefined, warn: () => undefined };
  const cutter = createConnectionCutter(connections, silent);
  const at = (id: number, port: number): OpenServices =>
    new Map([...tcp({ port }).values()].map((service) => [`tcpService ${id}`, { ...service, id }]));
  /** Each generation of nginx has a worker, and that of the generations `closing` is still there. */
  const serve = async (closing: number[], open: OpenServices, by = cutter): Promise<unknown> => {
    by.prepare(open);
    connections.serve(closing);
    await by.follow(open);
    const calls = cut.mock.calls.splice(0);
    return calls.map(([targets, among]) => [
      targets.map((target) => target.kind === 'public' && target.port),
      among.map(({ pid }) => pid),
    ]);
  };
  connections.serve([]);
  await serve([1], at(1, 20_001));
  expect(await serve([2], at(1, 20_002))).toEqual([]);
  expect(await serve([2, 3], new Map([...at(1, 20_002), ...at(2, 20_001)]))).toEqual([]);
  expect(await serve([2, 4], at(1, 20_002))).toEqual([[[20_001], [4]]]);
  cutter.stop();
  const next = createConnectionCutter(connections, silent);
  expect(await serve([2, 4, 5], NONE, next)).toEqual([
    [[20_002], [4, 5]],
    [[20_001], [2]],
    // Once more: whether it was cut is not noted.
    [[20_001], [4]],
  ]);
  next.stop();
});

it('knows after a kill where nginx may lead that was served, or about to be', async () => {
  const connections = createFakeConnections();
  const silent = { info: () => undefined, warn: () => undefined };
  const killed = createConnectionCutter(connections, silent);
  await killed.follow(http());
  killed.prepare(new Map([...http(), ...ofNode(2, http({}, ['198.19.2.9']))]));
  // nginx may serve it also where it was taken for refused.
  expect(killed.begin([testNode(2)])).toEqual(['198.19.2.9']);
  await killed.follow(http());
  expect(connections.cuts).toEqual([]);
  killed.prepare(new Map([...http(), ...ofNode(2, http({}, ['198.19.2.9']))]));
  killed.stop();
  const next = createConnectionCutter(connections, silent);
  expect(next.begin([testNode(2)])).toEqual(['198.19.2.9']);
  await next.follow(http());
  expect(next.begin([testNode(2)])).toEqual(['198.19.2.9']);
  expect(await next.endWorkersTo(['198.19.2.9'])).toBe(true);
  expect(next.begin([testNode(2)])).toEqual([]);
  next.stop();
});

it('knows after a kill both places of a service that was just moved', async () => {
  const connections = createFakeConnections();
  const silent = { info: () => undefined, warn: () => undefined };
  const killed = createConnectionCutter(connections, silent);
  const at = (address: string): OpenServices => ofNode(2, http({}, [address]));
  connections.serve([]);
  await killed.follow(at('198.19.2.8'));
  killed.prepare(at('198.19.2.9'));
  connections.serve([1]);
  killed.stop();
  const next = createConnectionCutter(connections, silent);
  next.prepare(at('198.19.2.9'));
  connections.serve([1, 2]);
  await next.follow(at('198.19.2.9'));
  await next.follow(NONE);
  expect(next.begin([]).toSorted()).toEqual(['198.19.2.8', '198.19.2.9']);
  next.stop();
});

it('ends what a service has open also after the machine was started again', async () => {
  const connections = createFakeConnections();
  const cut = vi.spyOn(connections, 'cut');
  const silent = { info: () => undefined, warn: () => undefined };
  const before = createConnectionCutter(connections, silent);
  for (const open of [NONE, tcp(), tcp({ port: 20_002 })]) {
    before.prepare(open);
    connections.serve([0, 1]);
    await before.follow(open);
  }
  before.stop();
  connections.reboot();
  const after = createConnectionCutter(connections, silent);
  after.prepare(tcp({ port: 20_002 }));
  connections.serve([]);
  await after.follow(tcp({ port: 20_002 }));
  after.prepare(NONE);
  connections.serve([1]);
  await after.follow(NONE);
  expect(cut.mock.calls.map(([targets, among]) => [targets, among.length])).toEqual([
    [[{ ...toPort, port: 20_002 }], 1],
  ]);
  after.stop();
});

it('notes nothing again of services whose backends cannot be found at the moment', async () => {
  const connections = createFakeConnections();
  const note = vi.spyOn(connections, 'record');
  const cutter = createConnectionCutter(connections, { info: () => undefined, warn: () => undefined });
  await cutter.follow(http());
  for (let generation = 0; generation < 3; generation += 1) {
    cutter.prepare(http({}, []));
    connections.serve([0]);
    await cutter.follow(http({}, []));
  }
  expect(note).toHaveBeenCalledTimes(1);
  cutter.stop();
});

it('keeps one note of a place to which a service of a node comes again and again', async () => {
  const connections = createFakeConnections();
  const cutter = createConnectionCutter(connections, { info: () => undefined, warn: () => undefined });
  const sizes: number[] = [];
  for (let generation = 0; generation < 6; generation += 1) {
    const open = generation % 2 === 0 ? ofNode(2, http({}, ['198.19.2.9'])) : NONE;
    cutter.prepare(open);
    connections.serve(Array.from({ length: generation + 1 }, (_, worker) => worker));
    await cutter.follow(open);
    sizes.push(JSON.parse(connections.recorded() ?? '{"places":[]}').places.length);
  }
  expect(sizes.slice(1)).toEqual([1, 2, 1, 2, 1]);
  cutter.stop();
});

it('says to which addresses workers may still lead for a node that has lost them, until they are ended', async () => {
  const connections = createFakeConnections();
  const cutter = createConnectionCutter(connections, { info: () => undefined, warn: () => undefined });
  const site = (...subnets: string[]) =>
    testNode(2, { isGateway: true, gatewayNetworks: subnets.map((subnet) => ({ interface: 'eth1', subnet })) });
  await cutter.follow(new Map([...ofNode(2, http({}, ['198.19.2.9'])), ...http()]));
  expect(cutter.begin([site('198.19.2.0/24')])).toEqual([]);
  expect(cutter.begin([site('198.19.3.0/24')])).toEqual(['198.19.2.9']);
  expect(cutter.begin([])).toEqual(['198.19.2.9']);
  await cutter.follow(http());
  expect(cutter.begin([])).toEqual(['198.19.2.9']);
  expect(await cutter.endWorkersTo(['198.19.2.9'])).toBe(true);
  expect([connections.ended(), cutter.begin([])]).toEqual([1, []]);
  cutter.stop();
});

it('counts what a node lost since nginx was given it as left behind for others', () => {
  const cutter = createConnectionCutter(createFakeConnections(), { info: () => undefined, warn: () => undefined });
  const gatewayNetworks = [{ interface: 'eth1', subnet: '198.19.2.0/24' }];
  const [had, has] = [testNode(2, { isGateway: true, gatewayNetworks }), testNode(2)];
  cutter.begin([had]);
  expect(cutter.leftBehind([had], 3)).toEqual([]);
  expect(cutter.leftBehind([has], 3)).toEqual(['198.19.2.0/24']);
  expect(cutter.leftBehind([has], 2)).toEqual([]);
  expect(cutter.leftBehind([], null)).toEqual([had.address, '198.19.2.0/24']);
  cutter.begin([has]);
  expect(cutter.leftBehind([has], 3)).toEqual([]);
});

it('tells what leads into the tunnel from what has the same address next to the gateway', () => {
  expect(closedConnections(new Map([...http(), ...ofNode(3, http())]), ofNode(3, http()))).toEqual([toBackend]);
});
