import { httpServiceDefaults, nodeDefaults, tcpServiceDefaults } from '@sallyport/sdk/contract';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../start/system.ts';
import type { BackendTarget } from '../health/backendHealth.ts';
import { createIssuedCertificates } from '../certificates/renewal.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';
import { seed } from '../start/seed.ts';
import type { HttpServiceRow, NewRow } from '../store/rows.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { createFakeSystem, type FakeSystem } from '../testing/fakeSystem.ts';
import { noTunnel } from '../testing/fakeTunnel.ts';

const LOCAL = 1;
let store: Store;
let system: FakeSystem;
let reconciler: Reconciler;
let watched: readonly BackendTarget[];
let now: Date;

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const openReconciler = (): Reconciler =>
  createReconciler({
    ...system,
    ...noTunnel(),
    store,
    signInProblem: () => null,
    health: { watch: (targets) => void (watched = targets) },
    issued: createIssuedCertificates({ issuer: system.issuer, clock: systemClock, httpPort: 80, log: silent }),
    options: {
      listen: ['127.0.0.1'],
      ports: { http: 80, https: 443, console: 9443 },
      ownNames: ['gateway.test'],
      hostNames: ['gateway.test'],
    },
    log: silent,
    now: () => now,
  });

beforeEach(async () => {
  now = new Date('2026-11-21T12:00:00.000Z');
  store = openStore(':memory:', () => now);
  await seed(store, { listen: { host: '127.0.0.1', port: 3000 } });
  system = createFakeSystem();
  watched = [];
  reconciler = openReconciler();
  await reconciler.start();
});
afterEach(async () => {
  vi.useRealTimers();
  await reconciler.stop();
  await store.close();
});

const save = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
  const { value, changes } = await store.write(work);
  await reconciler.publish(changes);
  return value;
};
const service = {
  nodeId: LOCAL,
  name: 'service',
  backendHost: '127.0.0.5',
  enabled: true,
  expiresAt: null,
  closedAt: null,
  closedBy: null,
};
const http = (rest: Partial<NewRow<HttpServiceRow>> = {}): NewRow<HttpServiceRow> => ({
  ...httpServiceDefaults,
  ...service,
  pathLocation: '/app',
  backendPort: 8080,
  builtin: false,
  ...rest,
});
const tcp = { ...tcpServiceDefaults, ...service, backendPort: 5432, port: 20_001 };
const toBackend = { kind: 'backend', protocol: 'tcp', address: '127.0.0.5', port: 8080, through: 'machine' };

it('ends the connections of a service that is disabled, when nginx has let go of it', async () => {
  const { id } = await save((tx) => tx.httpServices.create(http()));
  expect(system.openConnections.cuts).toEqual([]);
  await save((tx) => tx.httpServices.update(id, { enabled: false }));
  expect(system.openConnections.cuts).toEqual([[toBackend]]);
});

it('ends those of a service that is deleted or whose node is disconnected', async () => {
  const tcpId = (await save((tx) => tx.tcpServices.create(tcp))).id;
  await save((tx) => tx.httpServices.create(http()));
  await save((tx) => tx.tcpServices.remove(tcpId));
  await save((tx) => tx.nodes.update(LOCAL, { enabled: false }));
  expect(system.openConnections.cuts).toEqual([[{ kind: 'public', port: 20_001 }], [toBackend]]);
});

it('does so also when the backend’s name led nowhere in the meantime', async () => {
  system.names.set('app.lan', ['127.0.0.5']);
  const { id } = await save((tx) => tx.httpServices.create(http({ backendHost: 'app.lan' })));
  system.names.set('app.lan', []);
  await save((tx) => tx.httpServices.update(id, { backendHost: 'gone.lan' }));
  expect(reconciler.problem('httpService', id)).toContain('gone.lan');
  await save((tx) => tx.httpServices.update(id, { enabled: false }));
  expect(system.openConnections.cuts).toEqual([[toBackend]]);
});

it('ends at the start what was closed while the gateway was down', async () => {
  await save((tx) => tx.tcpServices.create({ ...tcp, expiresAt: '2026-11-21T13:00:00.000Z' }));
  await save((tx) => tx.httpServices.create(http({ expiresAt: '2026-11-21T13:00:00.000Z' })));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/other', backendPort: 9090 })));
  await reconciler.stop();
  now = new Date('2026-11-21T14:00:00.000Z');
  reconciler = openReconciler();
  await reconciler.start();
  expect(system.openConnections.cuts).toEqual([[toBackend, { kind: 'public', port: 20_001 }]]);
});

it('ends at the start what went while the gateway was down, wherever it led', async () => {
  system.names.set('app.lan', ['127.0.0.5']);
  const named = await save((tx) => tx.httpServices.create(http({ backendHost: 'app.lan' })));
  const far = await save((tx) => tx.tcpServices.create({ ...tcp, proto: 'udp', backendHost: '127.0.0.6' }));
  await reconciler.stop();
  await store.write((tx) => tx.httpServices.update(named.id, { enabled: false }));
  await store.write((tx) => tx.tcpServices.remove(far.id));
  reconciler = openReconciler();
  await reconciler.start();
  expect(system.openConnections.cuts).toEqual([
    [toBackend, { ...toBackend, protocol: 'udp', address: '127.0.0.6', port: 5432 }],
  ]);
});

it('does so also when another service’s row was damaged', async () => {
  const { id } = await save((tx) => tx.httpServices.create(http()));
  const damaged = await save((tx) => tx.httpServices.create(http({ pathLocation: '/damaged', backendPort: 9090 })));
  await store.write((tx) => tx.httpServices.update(damaged.id, { backendPort: 'eighty' as never }));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/more', backendPort: 7070 })));
  expect(reconciler.problem('httpService', damaged.id)).toContain('eighty');
  await reconciler.stop();
  await store.write((tx) => tx.httpServices.remove(id));
  reconciler = openReconciler();
  await reconciler.start();
  expect(system.openConnections.cuts).toEqual([[toBackend]]);
});

it('ends at the start what an earlier gateway was about to end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { id } = await save((tx) => tx.httpServices.create(http()));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/same' })));
  await save((tx) => tx.httpServices.update(id, { enabled: false }));
  await reconciler.stop();
  await vi.advanceTimersByTimeAsync(1000);
  expect(system.openConnections.cuts).toEqual([]);
  reconciler = openReconciler();
  await reconciler.start();
  await vi.advanceTimersByTimeAsync(1000);
  expect(system.openConnections.cuts[0]).toEqual([toBackend]);
});

it.each(['', '{', '{}', '[{"kind":"httpService"}]', '[null]'])(
  'takes a record that was damaged for none: %j',
  async (text) => {
    await save((tx) => tx.httpServices.create(http()));
    await reconciler.stop();
    system.openConnections.record(text);
    reconciler = openReconciler();
    expect(await reconciler.start()).toEqual({ problem: null });
    expect(system.openConnections.cuts).toEqual([]);
    const { id } = await save((tx) => tx.httpServices.create(http({ pathLocation: '/more', backendPort: 9090 })));
    await save((tx) => tx.httpServices.update(id, { enabled: false }));
    expect(system.openConnections.cuts).toEqual([[{ ...toBackend, port: 9090 }]]);
  },
);

it('leaves a backend alone at the start to which an open service leads as well', async () => {
  await save((tx) => tx.httpServices.create(http({ enabled: false })));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/same' })));
  await reconciler.stop();
  reconciler = openReconciler();
  await reconciler.start();
  expect(system.openConnections.cuts).toEqual([]);
});

it('looks again, in the same workers, for visitors who connected before and ask only now', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const cut = vi.spyOn(system.openConnections, 'cut');
  const { id } = await save((tx) => tx.httpServices.create(http()));
  await save((tx) => tx.httpServices.update(id, { blockedIps: ['192.0.2.7'] }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(cut.mock.calls.length).toBeGreaterThan(30);
  for (const [targets, among] of cut.mock.calls) {
    expect(targets).toEqual([toBackend]);
    expect(among).toEqual(cut.mock.calls[0]?.[1]);
  }
  const times = cut.mock.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(cut.mock.calls.length).toBe(times);
});

it('says when the machine does not end connections, and answers the change all the same', async () => {
  const { id } = await save((tx) => tx.httpServices.create(http()));
  expect(reconciler.endsConnections()).toBe(true);
  system.openConnections.refuse(true);
  await save((tx) => tx.httpServices.update(id, { enabled: false }));
  expect(reconciler.endsConnections()).toBe(false);
  expect(reconciler.state().problem).toBeNull();
});

it('has the backends of open services asked, and no other', async () => {
  await save((tx) => tx.httpServices.create(http({ backendProto: 'https' })));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/off', enabled: false })));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/lost', backendHost: 'gone.lan' })));
  await save(async (tx) => {
    const keys = { publicKey: 'k', sealedPrivateKey: 's', sealedPresharedKey: 's' };
    const node = await tx.nodes.create({
      ...nodeDefaults,
      ...keys,
      name: 'far',
      address: '10.88.0.2',
      isLocal: false,
      enabled: true,
    });
    return tx.tcpServices.create({ ...tcp, nodeId: node.id, backendHost: null });
  });
  expect(watched.map(({ proto, addresses, unreachable }) => ({ proto, addresses, unreachable }))).toEqual([
    { proto: 'https', addresses: ['127.0.0.5'], unreachable: null },
    { proto: 'http', addresses: [], unreachable: expect.stringContaining('gone.lan') },
    { proto: 'tcp', addresses: [], unreachable: expect.stringContaining('tunnel is off') },
  ]);
});

it('makes files again that were deleted under nginx', async () => {
  const { generation } = reconciler.state();
  system.ingress.damage();
  await reconciler.publish([]);
  expect(reconciler.state()).toEqual({ up: true, generation: generation + 1, problem: null });
  expect(await system.ingress.intact()).toBe(true);
});

it('looks at nothing again once it was stopped, not even for the generation that was under way', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { id } = await save((tx) => tx.httpServices.create(http()));
  const { changes } = await store.write((tx) => tx.httpServices.update(id, { enabled: false }));
  const published = reconciler.publish(changes);
  await reconciler.stop();
  await published;
  expect(system.openConnections.cuts).toEqual([[toBackend]]);
  expect(vi.getTimerCount()).toBe(0);
});
