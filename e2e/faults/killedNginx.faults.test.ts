import { afterAll, beforeAll, expect, test } from 'vitest';
import { extent, report, spread, until } from '../support/fault.ts';
import { nginxProcesses } from '../support/nginx.ts';
import { openScene, type Scene } from '../support/scene.ts';

const ROUNDS = extent(3, 20);
/** So long it is waited for, whatever else the machine does. */
const PATIENCE_MS = 20_000;
/** Within this time nginx is back by itself, on a machine that does nothing else. */
const BACK_LIMIT_MS = extent(PATIENCE_MS, 2000);

let scene: Scene;
let serviceId: number;

beforeAll(async () => {
  scene = await openScene();
  serviceId = (await scene.expose('steady')).id;
});
afterAll(() => scene?.close());

function processes() {
  const found = nginxProcesses(scene.gateway.data);
  if (found === null) throw new Error('nginx does not run.');
  return found;
}

/** Everywhere that the gateway says how its ingress is. */
async function said() {
  const [health, { unavailable }, { problem }] = await Promise.all([
    fetch(`${scene.gateway.apiUrl}/healthz`),
    scene.client.system.config(),
    scene.client.httpService.get({ params: { nodeId: 1, id: serviceId } }),
  ]);
  const ingress = unavailable.find(({ feature }) => feature === 'ingress');
  return { status: health.status, off: ingress?.reason ?? null, problem };
}

const isServed = async (): Promise<boolean> => (await scene.visit('steady')).body === 'a /';

const kills = [
  { what: 'the master', pids: () => [processes().master] },
  {
    what: 'the master and every worker',
    pids: () => [processes().master, ...processes().workers.map(({ pid }) => pid)],
  },
];

test.each(kills)('nginx is back when $what is killed, and says so meanwhile', async ({ what, pids }) => {
  const downs: number[] = [];
  const backs: number[] = [];
  // It is down for less than a tenth of a second: one look may miss it, all looks of all rounds do not.
  const sayings = { health: new Set<number>(), off: new Set<string>(), problem: new Set<string>() };
  for (let round = 0; round < ROUNDS; round += 1) {
    const old = processes().master;
    const begin = performance.now();
    for (const pid of pids()) process.kill(pid, 'SIGKILL');
    await until('nginx is said to be back', PATIENCE_MS, async () => {
      const { status, off, problem } = await said();
      if (status !== 200) {
        if (downs.length === round) downs.push(performance.now() - begin);
        sayings.health.add(status);
      }
      if (off !== null) sayings.off.add(off);
      if (problem !== null) sayings.problem.add(problem);
      // The old one may take a moment to die.
      const isAnother = (nginxProcesses(scene.gateway.data)?.master ?? old) !== old;
      return status === 200 && off === null && problem === null && isAnother;
    });
    expect(await scene.visit('steady')).toMatchObject({ status: 200, body: 'a /' });
    backs.push(performance.now() - begin);
  }
  report(
    `nginx: ${what} killed`,
    `${ROUNDS} times; said after ${spread(downs)} ("${[...sayings.off].join('", "')}"), back after ${spread(backs)}`,
    'the connections that were open',
  );
  expect([...sayings.health]).toEqual([503]);
  expect([...sayings.off]).toEqual([expect.stringContaining('being started again')]);
  expect([...sayings.problem]).toEqual([...sayings.off]);
  expect(Math.max(...backs)).toBeLessThan(BACK_LIMIT_MS);
  const { publicAccess } = await scene.expose(`after-${what.split(' ').length}`);
  expect(publicAccess).toContain('https://after-');
});

test('a worker that is killed is replaced at once, that is said, and every new connection is served', async () => {
  const backs: number[] = [];
  const tellings: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { master, workers } = processes();
    // Those of the configuration before may still be closing.
    const serving = workers.filter(({ closing }) => !closing);
    const [victim] = serving;
    if (victim === undefined) throw new Error('nginx has no worker.');
    const begin = performance.now();
    process.kill(victim.pid, 'SIGKILL');
    await until('the worker is replaced', PATIENCE_MS, () => {
      const now = processes().workers.filter(({ closing }) => !closing);
      return now.length === serving.length && now.every(({ pid }) => pid !== victim.pid);
    });
    backs.push(performance.now() - begin);
    for (let asked = 0; asked < 10; asked += 1) expect(await isServed()).toBe(true);
    expect(processes().master).toBe(master);
    // It is back before anybody could look, so the gateway's log says it.
    const saying = new RegExp(`"worker":${victim.pid},"signal":9,"msg":"a worker of nginx ended unexpectedly`);
    await until('it is said', PATIENCE_MS, () => saying.test(scene.gateway.output()));
    tellings.push(performance.now() - begin);
  }
  report(
    'nginx: a worker killed',
    `${ROUNDS} times; replaced after ${spread(backs)}, said after ${spread(tellings)}`,
    'the connections of that worker',
  );
  expect(Math.max(...backs, ...tellings)).toBeLessThan(BACK_LIMIT_MS);
  expect((await fetch(`${scene.gateway.apiUrl}/healthz`)).status).toBe(200);
});
