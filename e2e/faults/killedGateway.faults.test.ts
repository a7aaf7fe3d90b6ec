import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpService } from '@sallyport/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawn, extent } from './support/extent.ts';
import { createJournal, type Journal } from './support/journal.ts';
import { report, spread } from './support/report.ts';
import { openScene, type Scene } from './support/scene.ts';
import { visit } from './support/visit.ts';
import { createWriter } from './support/writer.ts';

const KILLS = extent(20, 200);
const WRITERS = 8;
const LATEST_KILL_MS = 600;
/** Every so many kills the next start is killed as well, somewhere in its middle. */
const START_KILL_EVERY = 5;
const LATEST_START_KILL_MS = 400;
/** What a restart may take on a machine that does other things as well. */
const RESTART_LIMIT_MS = 5000;

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

const listed = (): Promise<HttpService[]> =>
  scene.client.httpService.listAll().then(({ data }) => data.filter(({ builtin }) => !builtin));

/** Where what nginx answers is not what the database says. */
async function wronglyServed(services: readonly HttpService[], journal: Journal): Promise<string[]> {
  const { backends, gateway } = scene;
  const expected = new Map(
    journal.takeAddresses().map(({ domain, path }) => [`https://${domain}${path}`, { status: 404, body: '' }]),
  );
  for (const { domain, pathLocation, backendPort, enabled } of services) {
    const path = pathLocation ?? '/';
    const body = `${backendPort === backends.a.port ? 'a' : 'b'} ${path}`;
    expected.set(`https://${domain}${path}`, enabled ? { status: 200, body } : { status: 404, body: '' });
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const wrong = [...expected].map(async ([url, { status, body }]) => {
    const answer = await visit(gateway.ports.https, url, agent);
    const isRight = answer.status === status && (status !== 200 || answer.body === body);
    return isRight ? [] : [`${url} answers ${answer.status} ${answer.body.slice(0, 80)}, should be ${status} ${body}`];
  });
  const found = (await Promise.all(wrong)).flat();
  agent.destroy();
  return found;
}

test(`${KILLS} times SIGKILL while ${WRITERS} clients write`, { timeout: extent(90_000, 900_000) }, async () => {
  const journal = createJournal();
  const choices = drawn(2000, 0, 99);
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    createWriter(scene, journal, `w${index}`, choices.slice(index * 250, (index + 1) * 250)),
  );
  const moments = drawn(KILLS, 0, LATEST_KILL_MS);
  const startMoments = drawn(KILLS, 0, LATEST_START_KILL_MS);
  const restarts: number[] = [];
  const lost: string[] = [];
  let startKills = 0;
  let services: HttpService[] = [];

  for (const [index, moment] of moments.entries()) {
    const writing = Promise.all(writers.map((writer) => writer.write(services)));
    await Promise.race([delay(moment), writing]);
    await scene.gateway.kill();
    for (const writer of writers) writer.stop();
    await writing;
    if (index % START_KILL_EVERY === START_KILL_EVERY - 1) {
      startKills += 1;
      const started = scene.gateway.start().catch(() => undefined);
      await delay(startMoments[index] ?? 0);
      await scene.gateway.kill();
      await started;
    }
    const begin = performance.now();
    await scene.gateway.start();
    restarts.push(performance.now() - begin);
    services = await listed();
    const found = [
      ...journal.differences(services),
      ...(await wronglyServed(services, journal)),
      ...services.flatMap(({ name, problem }) => (problem === null ? [] : [`${name}: ${problem}`])),
    ];
    lost.push(...found.map((what) => `after kill ${index + 1}: ${what}`));
  }

  const answered = writers.reduce((sum, writer) => sum + writer.answered(), 0);
  report(
    'gateway killed',
    `${KILLS} times while ${WRITERS} clients wrote (${answered} writes answered), ${startKills} times while it started; back after ${spread(restarts)}`,
    lost.length === 0 ? 'nothing that was answered; nginx served exactly the database each time' : lost.join(' | '),
  );
  expect(lost).toEqual([]);
  expect(answered).toBeGreaterThan(KILLS);
  expect(Math.max(...restarts)).toBeLessThan(RESTART_LIMIT_MS);
});
