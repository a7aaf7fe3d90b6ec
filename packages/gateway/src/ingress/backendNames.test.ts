import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type BackendNames, createBackendNames, nameAt } from './backendNames.ts';

const HOST = new Set(['app.example.test']);

let known: Map<string, string[]>;
let asked: number;
let changed: number;
let names: BackendNames;

beforeEach(() => {
  vi.useFakeTimers();
  known = new Map();
  asked = 0;
  changed = 0;
  names = createBackendNames(
    async (name) => {
      asked += 1;
      const found = known.get(name);
      if (found === undefined) throw new Error('not known');
      return found;
    },
    () => void (changed += 1),
  );
});
afterEach(() => {
  names.stop();
  vi.useRealTimers();
});

const answer = async () => (await names.resolveAll(HOST)).get('app.example.test');

it('finds a name within seconds after it begins to resolve', async () => {
  expect(await answer()).toEqual({ problem: expect.stringContaining('app.example.test cannot be resolved') });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(changed).toBe(0);
  known.set('app.example.test', ['192.0.2.1']);
  await vi.advanceTimersByTimeAsync(4000);
  expect(changed).toBe(1);
  expect(await answer()).toEqual({ addresses: ['192.0.2.1'] });
});

it('asks for a name that resolves only now and then', async () => {
  known.set('app.example.test', ['192.0.2.1']);
  await answer();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked).toBe(1);
  known.set('app.example.test', ['192.0.2.2']);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await answer()).toEqual({ addresses: ['192.0.2.2'] });
  expect(changed).toBe(1);
});

it('tells of an answer for which no one waits any more', async () => {
  const late = Promise.withResolvers<string[]>();
  const slow = createBackendNames(
    () => late.promise,
    () => void (changed += 1),
  );
  onTestFinished(slow.stop);
  const first = slow.resolveAll(HOST);
  await vi.advanceTimersByTimeAsync(1500);
  expect((await first).get('app.example.test')).toHaveProperty('problem');
  late.resolve(['192.0.2.1']);
  await vi.advanceTimersByTimeAsync(0);
  expect(changed).toBe(1);
});

it("waits for no more than a moment for a node's resolver, which keeps the changes of all others waiting", async () => {
  const late = Promise.withResolvers<string[]>();
  const slow = createBackendNames(
    () => late.promise,
    () => void (changed += 1),
  );
  onTestFinished(slow.stop);
  const name = nameAt('nas.lan', '10.88.0.2');
  const first = slow.resolveAll(new Set([name]));
  await vi.advanceTimersByTimeAsync(400);
  expect((await first).get(name)).toEqual({ problem: 'no resolver has answered at 10.88.0.2 yet' });
  late.resolve(['192.0.2.1']);
  await vi.advanceTimersByTimeAsync(250);
  expect(changed).toBe(1);
});

it('uses the last addresses on for a while, then says that they are gone, and finds them again', async () => {
  known.set('app.example.test', ['192.0.2.1']);
  await answer();
  known.clear();
  await vi.advanceTimersByTimeAsync(240_000);
  expect(await answer()).toEqual({ addresses: ['192.0.2.1'] });
  await vi.advanceTimersByTimeAsync(120_000);
  expect(await answer()).toHaveProperty('problem');
  expect(changed).toBe(1);
  known.set('app.example.test', ['192.0.2.1']);
  await vi.advanceTimersByTimeAsync(4000);
  expect(changed).toBe(2);
  expect(await answer()).toEqual({ addresses: ['192.0.2.1'] });
});

it('asks no one once it is stopped, or when no name is in use any more', async () => {
  await answer();
  await names.resolveAll(new Set(['192.0.2.1']));
  await vi.advanceTimersByTimeAsync(100_000);
  expect(asked).toBeLessThanOrEqual(1);
  await answer();
  names.stop();
  const before = asked;
  await vi.advanceTimersByTimeAsync(100_000);
  expect(asked).toBe(before);
});

it("says why a node's resolver has no address, also when the reason is another one by now", async () => {
  const name = nameAt('web', '10.88.0.2');
  let reason = 'no resolver answers at 10.88.0.2';
  const behind = createBackendNames(
    (wanted) => Promise.reject(new Error(`${wanted}: ${reason}`)),
    () => void (changed += 1),
  );
  onTestFinished(behind.stop);
  const found = async () => (await behind.resolveAll(new Set([name]))).get(name);
  expect(await found()).toEqual({ problem: 'web@10.88.0.2: no resolver answers at 10.88.0.2' });
  await vi.advanceTimersByTimeAsync(4000);
  expect(changed).toBe(0);
  reason = 'the resolver does not know it';
  await vi.advanceTimersByTimeAsync(4000);
  expect(changed).toBe(1);
  expect(await found()).toEqual({ problem: 'web@10.88.0.2: the resolver does not know it' });
});

it("makes no more than one change in ten seconds of what a node's resolver says", async () => {
  const ofNode = Array.from({ length: 20 }, (_, index) => nameAt(`r${index}.lan`, '10.88.0.3'));
  await names.resolveAll(new Set([...ofNode, ...HOST]));
  for (let second = 0; second < 60; second += 1) {
    known.set(ofNode[second % 20] ?? '', [`10.5.0.${second}`]);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(changed).toBeGreaterThanOrEqual(4);
  expect(changed).toBeLessThanOrEqual(7);
  // Names of others are told of all the same, and the last news of the node is not lost.
  const before = changed;
  known.set('app.example.test', ['192.0.2.1']);
  await vi.advanceTimersByTimeAsync(4000);
  expect(changed).toBeGreaterThan(before);
  known.set(ofNode[0] ?? '', ['10.5.0.99']);
  await vi.advanceTimersByTimeAsync(60_000);
  const then = changed;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(changed).toBe(then);
});

it('uses no more addresses of a name than names have', async () => {
  known.set(
    'app.example.test',
    [...Array(4000).keys()].map((index) => `10.5.${index >> 8}.${index & 255}`),
  );
  expect(await answer()).toHaveProperty('addresses.length', 8);
});
