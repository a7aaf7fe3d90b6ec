import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../start/system.ts';
import { createIssuedCertificates } from '../certificates/renewal.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';
import { seed } from '../start/seed.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { createFakeCertificateIssuer } from '../testing/fakeCertificateIssuer.ts';
import { createFakeConnections, createFakeIngress, type FakeIngress } from '../testing/fakeIngress.ts';
import { Secret } from '../vault/secret.ts';
import { serviceRow } from '../testing/reconcileTrial.ts';
import { tcpServiceRow } from '../testing/tcpTrial.ts';
import { testNode } from '../testing/storedRows.ts';
import { noTunnel } from '../testing/fakeTunnel.ts';

const never = new Set<number>();
/** Those whose first handshake is noticed with the next look. */
const justConnected = new Set<number>();
const listeners = new Set<() => void>();
let store: Store;
let ingress: FakeIngress;
let reconciler: Reconciler;

beforeEach(async () => {
  store = openStore(':memory:', () => new Date());
  await seed(store, { listen: { host: '127.0.0.1', port: 3000 } });
  ingress = createFakeIngress();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const issuer = createFakeCertificateIssuer();
  const { tunnel, nodes } = noTunnel();
  reconciler = createReconciler({
    store,
    ingress,
    openConnections: createFakeConnections(),
    health: { watch: () => undefined },
    issued: createIssuedCertificates({ issuer, clock: systemClock, httpPort: 80, log }),
    names: { resolve: () => Promise.reject(new Error('not found')) },
    signInProblem: () => null,
    certificates: {
      ensureSelfSigned: () =>
        Promise.resolve({
          certificate: '/own.pem',
          key: '/own.key',
          pem: new Secret(''),
          fingerprint256: 'AB',
          notAfter: new Date(0),
        }),
      keepOnly: () => Promise.resolve(),
    },
    options: {
      listen: ['127.0.0.1'],
      ports: { http: 80, https: 443, console: 9443 },
      ownNames: ['gateway.test'],
      hostNames: [],
    },
    log,
    now: () => new Date(),
    tunnel: {
      ...tunnel,
      follow: (rows) =>
        Promise.resolve({
          ...TUNNEL_EMPTY,
          subnets: new Map(rows.flatMap(({ id, isLocal }) => (isLocal ? [] : [[id, []] as const]))),
        }),
    },
    nodes: {
      ...nodes,
      neverConnected: (id) => never.has(id),
      look() {
        for (const id of justConnected) never.delete(id);
        return Promise.resolve();
      },
      onFirstHandshake(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  });
  await reconciler.start();
});
afterEach(async () => {
  await reconciler.stop();
  await store.close();
  never.clear();
  justConnected.clear();
});

const TUNNEL_EMPTY = {
  status: { available: true },
  gateway: '10.88.0.1',
  problems: new Map<number, string>(),
} as const;

async function save<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  const { value, changes } = await store.write(work);
  expect(await reconciler.publish(changes)).toEqual({ rejected: null });
  return value;
}
const served = (): string => JSON.stringify(ingress.served()?.files ?? []);

it('is looked at before its first service is served, which is open at once when it has connected by then', async () => {
  const { id: _, version: _version, createdAt: _created, updatedAt: _updated, ...row } = testNode(9);
  const { id } = await save((tx) => tx.nodes.create({ ...row, name: 'new', address: '10.88.0.9' }));
  never.add(id);
  justConnected.add(id);
  await save((tx) => tx.httpServices.create(serviceRow(80, { nodeId: id, backendHost: null, pathLocation: '/new' })));
  expect(served()).toContain('server 10.88.0.9');
});

it('has its web services answered with 503 at once, and opened in one generation when many nodes connect', async () => {
  const numbers = [2, 3, 4];
  for (const number of numbers) {
    const { id: _, version: _version, createdAt: _created, updatedAt: _updated, ...row } = testNode(number);
    const { id } = await save((tx) => tx.nodes.create({ ...row, name: `n${number}`, address: `10.88.0.${number}` }));
    never.add(id);
    await save((tx) =>
      tx.httpServices.create(serviceRow(80, { nodeId: id, backendHost: null, pathLocation: `/n${number}` })),
    );
  }
  expect(served()).not.toContain('server 10.88.0.');
  expect(served().match(/return 503/g)).toHaveLength(2 * numbers.length);
  for (const { id } of await store.httpServices.all({ builtin: false })) {
    // It is in order as it was saved; that nobody is there, its health says.
    expect(reconciler.problem('httpService', id)).toBeNull();
  }
  const { generation } = reconciler.state();
  never.clear();
  for (const listener of listeners) listener();
  await vi.waitFor(() => expect(served().match(/server 10\.88\.0\.\d/g)).toHaveLength(numbers.length));
  expect(reconciler.state().generation).toBe(generation + 1);
});

it('has its TCP and UDP ports refuse at once, and opened when it connects', async () => {
  const { id: _, version: _version, createdAt: _created, updatedAt: _updated, ...row } = testNode(9);
  const { id } = await save((tx) => tx.nodes.create({ ...row, name: 'new', address: '10.88.0.9' }));
  never.add(id);
  for (const [port, proto] of [
    [32_001, 'tcp'],
    [32_002, 'udp'],
  ] as const) {
    await save((tx) => tx.tcpServices.create(tcpServiceRow(22, { nodeId: id, backendHost: null, port, proto })));
  }
  expect(served()).not.toMatch(/listen 127\.0\.0\.1:3200/);
  for (const service of await store.tcpServices.all()) {
    expect(reconciler.problem('tcpService', service.id)).toBeNull();
  }
  justConnected.add(id);
  for (const listener of listeners) listener();
  await vi.waitFor(() => expect(served().match(/server 10\.88\.0\.9:22;/g)).toHaveLength(2));
});
