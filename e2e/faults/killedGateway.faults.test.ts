import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawn, extent, report, spread } from '../support/fault.ts';
import { createJournal, createWriter, type Stored, storedOf } from '../support/writer.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { hear, startSpeaker } from '../support/tcp.ts';
import { visit } from '../support/visit.ts';

const KILLS = extent(10, 200);
const WRITERS = 8;
const PUBLIC_PORTS_EACH = 3;
const LATEST_KILL_MS = 600;
/** Every so many kills the next start is killed as well, somewhere in its middle. */
const START_KILL_EVERY = 5;
const LATEST_START_KILL_MS = 400;
/** Every so many kills, and at the end, whatever any service ever had is asked for; else what was written since. */
const SWEEP_EVERY = 5;
/** What a restart may take in the full run, which has the machine for itself; the test's own limit is that of a short one. */
const RESTART_LIMIT_MS = extent(400_000, 5000);

let scene: Scene;
let range: { from: number; to: number };
let speakers: readonly [Speaker, Speaker];
type Speaker = Awaited<ReturnType<typeof startSpeaker>>;

beforeAll(async () => {
  scene = await openScene({ tcpPorts: WRITERS * PUBLIC_PORTS_EACH });
  range = scene.gateway.ports.tcp;
  speakers = await Promise.all([startSpeaker('a'), startSpeaker('b')]);
});
afterAll(async () => {
  for (const speaker of speakers ?? []) await speaker.close();
  await scene?.close();
});

async function listed(): Promise<Stored[]> {
  const [http, tcp] = await Promise.all([scene.client.httpService.listAll(), scene.client.tcpService.listAll()]);
  return storedOf(http.data, tcp.data);
}

/**
 * Where what nginx answers is not what the database says, in both directions: what is there is served if it is enabled,
 * and at these addresses, at every port of the range nothing else is.
 */
async function wronglyServed(services: readonly Stored[], addresses: readonly string[]): Promise<string[]> {
  const { backends, gateway } = scene;
  const firsts = new Set([backends.a.port, speakers[0].port]);
  const ports = Array.from({ length: range.to - range.from + 1 }, (_, index) => String(range.from + index));
  const expected = new Map([...ports, ...addresses].map((address) => [address, 'nothing']));
  for (const { facts } of services) {
    const words = firsts.has(facts.backendPort) ? 'a' : 'b';
    expected.set(facts.address, facts.enabled ? words : 'nothing');
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const answerOf = async (address: string): Promise<string> => {
    if (!address.startsWith('https:')) return (await hear(Number(address))) || 'nothing';
    const { status, body } = await visit(gateway.ports.https, address, agent);
    // A name that was not saved before the kill is none of the gateway's.
    if (status === 404 || status === 421) return 'nothing';
    const { pathname } = new URL(address);
    return status === 200 && body.endsWith(` ${pathname}`) ? body.slice(0, -pathname.length - 1) : `${status} ${body}`;
  };
  const wrong = [...expected].map(async ([address, words]) => {
    const answer = await answerOf(address);
    return answer === words ? [] : [`${address} answers ${answer.slice(0, 80)}, should be ${words}`];
  });
  const found = (await Promise.all(wrong)).flat();
  agent.destroy();
  return found;
}

test(`${KILLS} times SIGKILL while ${WRITERS} clients write`, { timeout: extent(400_000, 900_000) }, async () => {
  const journal = createJournal();
  const choices = drawn(2000, 0, 99);
  let answer = Promise.withResolvers<void>();
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    createWriter({
      client: scene.client,
      journal,
      name: `w${index}`,
      backends: {
        http: [scene.backends.a.port, scene.backends.b.port],
        tcp: [speakers[0].port, speakers[1].port],
      },
      publicPorts: Array.from(
        { length: PUBLIC_PORTS_EACH },
        (_port, own) => range.from + index * PUBLIC_PORTS_EACH + own,
      ),
      choices: choices.slice(index * 250, (index + 1) * 250),
      onAnswer: () => answer.resolve(),
    }),
  );
  const moments = drawn(KILLS, 0, LATEST_KILL_MS);
  const startMoments = drawn(KILLS, 0, LATEST_START_KILL_MS);
  const restarts: number[] = [];
  const lost: string[] = [];
  let startKills = 0;
  let asked = 0;
  let services: Stored[] = [];

  for (const [index, moment] of moments.entries()) {
    answer = Promise.withResolvers<void>();
    const writing = Promise.all(writers.map((writer) => writer.write(services)));
    // Half of them so early that nothing may have been answered yet, half after that, on any machine.
    if (index % 2 === 1) await Promise.race([answer.promise, writing]);
    await Promise.race([delay(moment), writing]);
    await scene.gateway.end('SIGKILL');
    for (const writer of writers) writer.stop();
    await writing;
    if (index % START_KILL_EVERY === START_KILL_EVERY - 1) {
      startKills += 1;
      const started = scene.gateway.start().catch(() => undefined);
      await delay(startMoments[index] ?? 0);
      await scene.gateway.end('SIGKILL');
      await started;
    }
    const begin = performance.now();
    await scene.gateway.start();
    restarts.push(performance.now() - begin);
    services = await listed();
    const touched = journal.takeTouched();
    const isSweep = index % SWEEP_EVERY === SWEEP_EVERY - 1;
    asked += isSweep ? journal.addresses().length : touched.length;
    const found = [
      ...journal.differences(services),
      ...(await wronglyServed(services, isSweep ? journal.addresses() : touched)),
      ...services.flatMap(({ name, problem }) => (problem === null ? [] : [`${name}: ${problem}`])),
    ];
    lost.push(...found.map((what) => `after kill ${index + 1}: ${what}`));
  }

  const answered = writers.reduce((sum, writer) => sum + writer.answered(), 0);
  report(
    'gateway killed',
    `${KILLS} times while ${WRITERS} clients wrote HTTP and TCP services (${answered} writes answered), ${startKills} times while it started; back after ${spread(restarts)}`,
    lost.length === 0
      ? `nothing that was answered; nginx served exactly the database each time (${asked} addresses that services had were asked)`
      : lost.join(' | '),
  );
  expect(lost).toEqual([]);
  // Every second kill waited for an answer.
  expect(answered).toBeGreaterThanOrEqual(KILLS / 2);
  expect(Math.max(...restarts)).toBeLessThan(RESTART_LIMIT_MS);
});
