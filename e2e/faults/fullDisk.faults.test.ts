import { isApiError } from '@sallyport/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duration, report, until } from '../support/fault.ts';
import { domainOf, openScene, type Scene } from '../support/scene.ts';
import { mountTmpfs, type Tmpfs } from '../support/tmpfs.ts';

const DISK_MEGABYTES = 24;
/** What is left on it: nothing, enough for the database alone, enough for one service or two. */
const LEFT_BYTES = [0, 20_000, 60_000, 120_000];
const WRITES = 10;
/** Once there is room again. */
const HEALED_LIMIT_MS = 5000;

let disk: Tmpfs | null = null;
let scene: Scene;

beforeAll(async () => {
  disk = await mountTmpfs(DISK_MEGABYTES);
  if (disk === null) return;
  scene = await openScene({ data: disk.directory });
  await scene.expose('steady');
});
afterAll(async () => {
  await disk?.empty();
  await scene?.close();
  await disk?.unmount();
});

const names = async (): Promise<Set<string>> => {
  const { data } = await scene.client.httpService.listAll();
  return new Set(data.filter(({ builtin }) => !builtin).map(({ name }) => name));
};

const domainProblem = async (name: string): Promise<string | null> => {
  const { data } = await scene.client.domain.list();
  return data.find(({ domain }) => domain === domainOf(name))?.problem ?? null;
};

test('a full disk is said, loses nothing that was answered, and touches no other service', async ({ skip }) => {
  if (disk === null) {
    skip('only root can mount a disk to be filled, and not in every container');
    return;
  }
  const answered = new Set(['steady']);
  const refusals = new Set<string>();
  const problems = new Set<string>();
  const numbers: (string | null)[] = [];
  for (const left of LEFT_BYTES) {
    await disk.empty();
    await disk.fill(left);
    for (let index = 0; index < WRITES; index += 1) {
      const name = `full-${left}-${index}`;
      try {
        const { problem } = await scene.expose(name);
        answered.add(name);
        // What a service says of its domain, the domain says whole.
        if (problem !== null) problems.add((await domainProblem(name)) ?? problem);
      } catch (error) {
        if (!isApiError(error, 'server')) throw error;
        refusals.add(error.message);
        numbers.push(error.requestId);
      }
      expect(await scene.visit('steady')).toMatchObject({ status: 200, body: 'a /' });
    }
  }
  expect([...refusals]).toEqual([expect.stringMatching(/full, so nothing was saved\. Free some space/)]);
  // Each can be found in the log of the gateway, as an error.
  expect(scene.gateway.output()).toMatch(/"level":50.*"status":507.*is full/);
  expect(numbers.filter((number) => number === null || !scene.gateway.output().includes(number))).toEqual([]);
  for (const problem of problems) expect(problem).toMatch(/disk.* is full/);

  await disk.empty();
  const healed = await until('writes are taken and served again', HEALED_LIMIT_MS, async () => {
    const saved = await scene.expose('healed').catch(() => null);
    return saved !== null && saved.problem === null;
  });
  answered.add('healed');
  const missing = async (): Promise<string[]> => {
    const pages = await Promise.all([...answered].map((name) => scene.visit(name)));
    return [...answered].filter((_, index) => pages[index]?.body !== 'a /');
  };
  expect(await names()).toEqual(answered);
  expect(await missing()).toEqual([]);
  await scene.gateway.end('SIGKILL');
  await scene.gateway.start();
  expect(await names()).toEqual(answered);
  expect(await missing()).toEqual([]);
  report(
    'full disk',
    `${numbers.length} of ${LEFT_BYTES.length * WRITES} writes refused ("${[...refusals].join('", "')}"), ${answered.size - 2} taken (with ${[...problems].map((problem) => `"${problem}"`).join(', ') || 'no problem'}); all well ${duration(healed)} after there was room again`,
    'nothing that was answered, no page of the other services',
  );
});
