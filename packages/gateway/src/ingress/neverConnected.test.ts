import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { BackendTarget } from '../health/backendHealth.ts';
import { noTunnel, TUNNEL_OFF } from '../testing/fakeTunnel.ts';
import { serviceRow } from '../testing/reconcileTrial.ts';
import { aNode } from '../testing/storedRows.ts';
import { tcpServiceRow } from '../testing/tcpTrial.ts';
import { startTestReconciler, type TestReconciler } from '../testing/testReconciler.ts';
import { createNodeKeys } from '../vault/keyVault.ts';

const never = new Set<number>();
/** Those whose first handshake is noticed with the next look. */
const justConnected = new Set<number>();
const listeners = new Set<() => void>();
/** Those that are not reached at the moment, and who is told of it. */
const gone = new Set<number>();
const reachListeners = new Set<() => void>();
let watched: readonly BackendTarget[] = [];
let test: TestReconciler;

beforeEach(async () => {
  const { tunnel, nodes } = noTunnel();
  test = await startTestReconciler(undefined, {
    health: { watch: (targets) => void (watched = targets) },
    tunnel: {
      ...tunnel,
      follow: (rows) =>
        Promise.resolve({
          ...TUNNEL_OFF,
          status: { available: true },
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
      unreachable: (id) => (gone.has(id) ? 'It is not connected.' : null),
      onReach(listener) {
        reachListeners.add(listener);
        return () => void reachListeners.delete(listener);
      },
      onFirstHandshake(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  });
});
afterEach(async () => {
  await test.close();
  never.clear();
  justConnected.clear();
  gone.clear();
});

/** Adds a node that has never connected, with the address 10.88.0.NUMBER. */
async function addNode(number: number): Promise<number> {
  const row = { ...aNode, name: `n${number}`, address: `10.88.0.${number}`, publicKey: createNodeKeys().publicKey };
  const { id } = await test.save((tx) => tx.nodes.create(row));
  never.add(id);
  return id;
}
const addService = (nodeId: number, pathLocation: string) =>
  test.save((tx) => tx.httpServices.create(serviceRow(80, { nodeId, backendHost: null, pathLocation })));
const served = (): string => JSON.stringify(test.system.ingress.served()?.files ?? []);

it('is looked at before its first service is served, which is open at once when it has connected by then', async () => {
  const id = await addNode(9);
  justConnected.add(id);
  await addService(id, '/new');
  expect(served()).toContain('server 10.88.0.9');
});

it('has its web services answered with 503 at once, and opened in one generation when many nodes connect', async () => {
  const numbers = [2, 3, 4];
  for (const number of numbers) {
    const { id } = await addService(await addNode(number), `/n${number}`);
    // It is in order as it was saved; that the node is not there, its health says.
    expect(test.reconciler.problem('httpService', id)).toBeNull();
  }
  expect(served()).not.toContain('server 10.88.0.');
  expect(served().match(/return 503/g)).toHaveLength(2 * numbers.length);
  const { generation } = test.reconciler.state();
  never.clear();
  for (const listener of listeners) listener();
  await vi.waitFor(() => expect(served().match(/server 10\.88\.0\.\d/g)).toHaveLength(numbers.length));
  expect(test.reconciler.state().generation).toBe(generation + 1);
});

it('has its TCP and UDP ports refuse at once, and opened when it connects', async () => {
  const nodeId = await addNode(9);
  for (const [port, proto] of [
    [32_001, 'tcp'],
    [32_002, 'udp'],
  ] as const) {
    const row = tcpServiceRow(22, { nodeId, backendHost: null, port, proto });
    const { id } = await test.save((tx) => tx.tcpServices.create(row));
    expect(test.reconciler.problem('tcpService', id)).toBeNull();
  }
  expect(served()).not.toMatch(/listen 127\.0\.0\.1:3200/);
  justConnected.add(nodeId);
  for (const listener of listeners) listener();
  await vi.waitFor(() => expect(served().match(/server 10\.88\.0\.9:22;/g)).toHaveLength(2));
});

it('has its backends watched as out of reach once it goes again, without another generation', async () => {
  const id = await addNode(9);
  never.delete(id);
  await addService(id, '/app');
  expect(watched).toMatchObject([{ addresses: ['10.88.0.9'], unreachable: null }]);
  const { generation } = test.reconciler.state();
  gone.add(id);
  for (const listener of reachListeners) listener();
  expect(watched).toMatchObject([{ unreachable: 'It is not connected.' }]);
  expect(test.reconciler.state().generation).toBe(generation);
});
