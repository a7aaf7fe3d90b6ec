import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serviceRow } from '../testing/reconcileTrial.ts';
import { startTestReconciler, type TestReconciler } from '../testing/testReconciler.ts';

let test: TestReconciler;
beforeEach(async () => {
  test = await startTestReconciler();
});
afterEach(async () => {
  vi.useRealTimers();
  await test.close();
});

const create = (path: string) =>
  test.save((tx) => tx.httpServices.create(serviceRow(8080, { name: path, pathLocation: path })));
const served = (): string => JSON.stringify(test.system.ingress.served()?.files ?? []);
const problem = (id: number) => test.reconciler.problem('httpService', id);
const generation = () => test.reconciler.state().generation;

/** A first service is served; then memory has no room for another generation. */
async function createAndFill() {
  const old = await create('/old');
  test.system.ingress.fill(true);
  return old;
}

it('new objects wait for each other until there is room, and say so', async () => {
  await createAndFill();
  const before = generation();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const rows = [await create('/one'), await create('/two')];
  for (const { id } of rows) expect(problem(id)).toContain('not served yet');
  await vi.advanceTimersByTimeAsync(600_000);
  expect(generation()).toBe(before);
  test.system.ingress.fill(false);
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(generation()).toBe(before + 1));
  for (const path of ['/one', '/two']) expect(served()).toContain(`location = ${path} {`);
  for (const { id } of rows) expect(problem(id)).toBeNull();
});

it('any other change is served at once, with what waits', async () => {
  const old = await createAndFill();
  const waiting = await create('/one');
  await test.save((tx) => tx.httpServices.update(old.id, { enabled: false }));
  expect(served()).not.toContain(`http://${old.id}.http`);
  expect(served()).toContain('location = /one {');
  expect(problem(waiting.id)).toBeNull();
});

it('a new service below one that is open is served at once: its list would protect nothing until then', async () => {
  await createAndFill();
  const { id } = await create('/old/admin');
  expect(served()).toContain('location = /old/admin {');
  expect(problem(id)).toBeNull();
});

it('what is deleted again needs no generation', async () => {
  await createAndFill();
  const before = generation();
  const { id } = await create('/one');
  await test.save((tx) => tx.httpServices.remove(id));
  expect(generation()).toBe(before);
  expect(problem(id)).toBeNull();
});

it('nginx that crashed is started again with all of it', async () => {
  await test.reconciler.start();
  await createAndFill();
  await create('/one');
  test.system.ingress.crash();
  await vi.waitFor(() => expect(served()).toContain('location = /one {'));
});
