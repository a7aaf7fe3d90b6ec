import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFakeTunnel, type FakeTunnel } from '../testing/fakeTunnel.ts';
import { openStore, type Store } from '../store/store.ts';
import type { NodeRow } from '../store/rows.ts';
import { testNode, testTunnelSettings, testVault } from '../testing/storedRows.ts';
import type { Moment } from './status.ts';
import { tunnelPlan } from './plan.ts';
import { createTunnelWatch, type TunnelWatch } from './monitor.ts';

const START_MS = Date.UTC(2026, 0, 1);

let store: Store;
let tunnel: FakeTunnel;
let watch: TunnelWatch;
let moment: Moment;
let nodes: NodeRow[];

const open = (): TunnelWatch => createTunnelWatch({ tunnel, store, now: () => moment, log: { warn: () => undefined } });

beforeEach(async () => {
  store = openStore(':memory:', () => new Date());
  nodes = [];
  for (const each of [testNode(2, { name: 'one' }), testNode(3, { name: 'two' })]) {
    const { id: _, version: _version, createdAt: _created, updatedAt: _updated, ...row } = each;
    nodes.push((await store.write((tx) => tx.nodes.create(row))).value);
  }
  tunnel = createFakeTunnel();
  tunnel.setStatus({ available: true });
  await tunnel.apply(tunnelPlan(nodes, testTunnelSettings, testVault, new Map()).plan);
  moment = { wall: START_MS, steady: 0 };
  watch = open();
  await watch.start();
});
afterEach(async () => {
  await watch.stop();
  await store.close();
});

const [first, second] = [() => nodes[0] as NodeRow, () => nodes[1] as NodeRow];
/** Time passes, and something arrives from the first node. */
async function hear(rx: number, after = 1000): Promise<void> {
  moment = { wall: moment.wall + after, steady: moment.steady + after };
  tunnel.setReading(String(first().publicKey), { rx, handshakeAt: START_MS, endpoint: '198.51.100.7:40000' });
  await watch.look();
}

it('knows of nodes that were never heard that they are not there, and says what to do', async () => {
  await watch.look();
  expect(watch.runtime(first().id)).toMatchObject({ status: 'offline', clientIp: null, transferRx: 0 });
  expect(watch.unreachable(first().id)).toBe('Its node one has not connected yet. Bring up the tunnel there.');
});

it('tells of each thing that is new, and of nothing else', async () => {
  let [news, reach] = [0, 0];
  watch.onRuntime(() => (news += 1));
  watch.onReach(() => (reach += 1));
  await watch.look();
  [news, reach] = [0, 0];
  await hear(100);
  expect([news, reach]).toEqual([1, 1]);
  expect(watch.runtime(first().id)).toEqual({
    status: 'online',
    clientIp: '198.51.100.7',
    latestHandshakeTimestamp: START_MS,
    transferRx: 100,
    transferTx: 0,
  });
  expect(watch.unreachable(first().id)).toBeNull();
  expect(watch.unreachable(second().id)).toContain('has not connected yet');
  await watch.look();
  expect([news, reach]).toEqual([1, 1]);
  await hear(132);
  expect([news, reach]).toEqual([2, 1]);
});

it('notices silence though nothing of what WireGuard says is new', async () => {
  await hear(100);
  let reach = 0;
  watch.onReach(() => (reach += 1));
  moment = { wall: moment.wall + 60_000, steady: moment.steady + 60_000 };
  await watch.look();
  expect(watch.runtime(first().id).status).toBe('idle');
  expect(reach).toBe(0);
  moment = { wall: moment.wall + 180_000, steady: moment.steady + 180_000 };
  await watch.look();
  expect(watch.runtime(first().id).status).toBe('offline');
  expect(watch.unreachable(first().id)).toMatch(/^Its node one is not connected\./);
  expect(reach).toBe(1);
});

it('takes a node that is disconnected for away, and counts on when it is back', async () => {
  await hear(100);
  watch.follow([{ ...first(), enabled: false }, second()]);
  expect(watch.runtime(first().id)).toMatchObject({ status: 'offline', transferRx: 100 });
  watch.follow(nodes);
  // A peer that is new in the interface counts from nothing.
  await hear(40);
  expect(watch.runtime(first().id)).toMatchObject({ status: 'online', transferRx: 140 });
});

it('keeps what was counted for the gateway that comes after it', async () => {
  await hear(100);
  await watch.stop();
  watch = open();
  await watch.start();
  expect(watch.endpoints()).toEqual(new Map([[first().publicKey, '198.51.100.7:40000']]));
  await hear(150);
  expect(watch.runtime(first().id)).toMatchObject({ status: 'online', transferRx: 150 });
});

it('goes on when the tunnel is gone, and counts on when it is there again', async () => {
  await hear(100);
  tunnel.damage();
  await watch.look();
  expect(watch.runtime(first().id)).toMatchObject({ status: 'online', transferRx: 100 });
  await tunnel.apply(tunnelPlan(nodes, testTunnelSettings, testVault, new Map()).plan);
  await hear(30);
  expect(watch.runtime(first().id)).toMatchObject({ transferRx: 130 });
});

it('knows who never connected, and tells once for all of whom it heard first', async () => {
  let told = 0;
  const nobody = (): boolean[] => nodes.map(({ id }) => watch.neverConnected(id));
  watch.onFirstHandshake(() => (told += 1));
  // As long as nothing was read no one knows.
  expect(nobody()).toEqual([false, false]);
  await watch.look();
  expect([nobody(), told]).toEqual([[true, true], 1]);
  for (const { publicKey } of nodes) tunnel.setReading(String(publicKey), { rx: 100, handshakeAt: START_MS });
  await watch.look();
  expect([nobody(), told]).toEqual([[false, false], 2]);
  await hear(200);
  expect(told).toBe(2);
  // One that was there once is not new after a restart, however silent it is.
  await watch.stop();
  tunnel.setReading(String(first().publicKey), { rx: 0, handshakeAt: null });
  watch = open();
  await watch.start();
  await watch.look();
  expect(nobody()).toEqual([false, false]);
});

it('reads once more for those who ask while a look is under way, which may have read before', async () => {
  await watch.stop();
  const gate = Promise.withResolvers<void>();
  let reads = 0;
  const slow = {
    async read() {
      reads += 1;
      const readings = await tunnel.read();
      if (reads === 1) await gate.promise;
      return readings;
    },
  };
  watch = createTunnelWatch({ tunnel: slow, store, now: () => moment, log: { warn: () => undefined } });
  await watch.start();
  const underWay = watch.look();
  await vi.waitFor(() => expect(reads).toBe(1));
  tunnel.setReading(String(first().publicKey), { rx: 100, handshakeAt: START_MS });
  const later = [watch.look(), watch.look()];
  gate.resolve();
  await Promise.all([underWay, ...later]);
  expect(watch.runtime(first().id)).toMatchObject({ latestHandshakeTimestamp: START_MS });
  expect(reads).toBe(2);
});

it('looks for the first handshake of a node within a second of learning of it', async () => {
  await watch.stop();
  vi.useFakeTimers();
  try {
    watch = open();
    await watch.start();
    tunnel.setReading(String(first().publicKey), { rx: 100, handshakeAt: START_MS });
    watch.follow([{ ...first(), updatedAt: new Date(START_MS).toISOString() }]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(watch.runtime(first().id)).toMatchObject({ latestHandshakeTimestamp: START_MS });
  } finally {
    vi.useRealTimers();
  }
});

it('does not take a tunnel that cannot be read for nodes that never connected', async () => {
  await watch.look();
  expect(watch.neverConnected(first().id)).toBe(true);
  let news = 0;
  watch.onFirstHandshake(() => (news += 1));
  tunnel.damage();
  await watch.look();
  expect([watch.neverConnected(first().id), news]).toEqual([false, 1]);
});
