import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeOwnNames, type OwnNames } from '../support/ownNames.ts';
import { duration, report, until } from '../support/fault.ts';
import { domainOf, openScene, type Scene } from '../support/scene.ts';

/** A name that leads nowhere is looked for every few seconds. */
const HEALED_LIMIT_MS = 10_000;
const KNOWN = 'known.backend.test';
const UNKNOWN = 'unknown.backend.test';

let names: OwnNames | null = null;
let scene: Scene;

beforeAll(async () => {
  names = await makeOwnNames();
  if (names === null) return;
  await names.set([KNOWN]);
  scene = await openScene({ launcher: names.launcher });
  await scene.expose('steady');
});
afterAll(async () => {
  await scene?.close();
  await names?.remove();
});

const expose = (name: string, backendHost: string) =>
  scene.client.httpService.create({
    params: { nodeId: 1 },
    body: { name, domain: domainOf(name), backendHost, backendPort: scene.backends.a.port },
  });
const problemsOf = async (wanted: readonly string[]): Promise<(string | null)[]> => {
  const { data } = await scene.client.httpService.listAll();
  return wanted.map((name) => data.find((service) => service.name === name)?.problem ?? null);
};
const isServed = async (name: string): Promise<boolean> => (await scene.visit(name)).body === 'a /';

test('a backend name that does not resolve, and one that stops to', async ({ skip }) => {
  if (names === null) {
    skip('only root can give a program names of its own, and not in every container');
    return;
  }
  const known = await expose('known', KNOWN);
  expect(known.problem).toBeNull();
  expect(await isServed('known')).toBe(true);
  const unknown = await expose('unknown', UNKNOWN);
  expect(unknown.problem).toContain(`The name ${UNKNOWN} cannot be resolved`);
  expect((await scene.visit('unknown')).status).toBe(503);
  expect(await isServed('steady')).toBe(true);

  // The address that was right a moment ago is used on: a name service that is away for a while takes nothing down.
  await names.set([]);
  await scene.expose('meanwhile');
  expect(await isServed('known')).toBe(true);
  // A gateway that starts meanwhile has nothing to go on.
  await scene.gateway.end('SIGKILL');
  await scene.gateway.start();
  expect(await problemsOf(['known', 'unknown', 'steady', 'meanwhile'])).toEqual([
    expect.stringContaining(`The name ${KNOWN} cannot be resolved`),
    expect.stringContaining(`The name ${UNKNOWN} cannot be resolved`),
    null,
    null,
  ]);
  expect((await scene.visit('known')).status).toBe(503);
  expect(await isServed('steady')).toBe(true);

  await names.set([KNOWN, UNKNOWN]);
  const all = ['known', 'unknown', 'steady', 'meanwhile'];
  const healed = await until('all are served, and no problem is said', HEALED_LIMIT_MS, async () => {
    const served = await Promise.all(all.map(isServed));
    return served.every(Boolean) && (await problemsOf(all)).every((problem) => problem === null);
  });
  report(
    'backend name lost',
    `one never resolved and one stopped to, over a restart ("${unknown.problem}"); both served ${duration(healed)} after they resolved again`,
    'no page of the other services',
  );
});
