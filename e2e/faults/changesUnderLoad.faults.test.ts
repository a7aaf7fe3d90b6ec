import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareNginx, startBareNginx } from '../support/nginx.ts';
import { duration, extent, report } from '../support/fault.ts';
import { domainOf, openScene, type Scene } from '../support/scene.ts';
import { Agent } from 'node:https';
import { visit } from '../support/visit.ts';

const CHANGES = extent(20, 250);
const SERVICES = 20;
const FRESH_CLIENTS = 1;
const REUSING_CLIENTS = 3;
/** So many standard deviations of the difference are taken for chance; a short run has little to tell it from. */
const CHANCE = extent(6, 3);

let scene: Scene;
let bare: BareNginx;

beforeAll(async () => {
  scene = await openScene();
  for (let index = 0; index < SERVICES; index += 1) await scene.expose(index === 0 ? 'steady' : `other${index}`);
  bare = await startBareNginx(scene.gateway);
});
afterAll(async () => {
  await bare?.close();
  await scene?.close();
});

/** The changes that an administrator makes, one after the other; some next to the service that is being asked. */
async function change(index: number): Promise<void> {
  const { httpService } = scene.client;
  const params = { nodeId: 1 };
  const kind = index % 5;
  if (kind < 2) {
    const domain = domainOf(index % 2 === 0 ? 'steady' : 'other1');
    const backend = { backendHost: '127.0.0.1', backendPort: scene.backends.a.port };
    await httpService.create({
      params,
      body: { name: `new ${index}`, domain, pathLocation: `/new${index}`, ...backend },
    });
    return;
  }
  const { data } = await httpService.list({ params, query: { search: 'new' } });
  const isNew = ({ name }: { name: string }): boolean => name.startsWith('new ');
  const one = { ...params, id: (kind === 4 ? data.find(isNew) : data.findLast(isNew))?.id ?? 0 };
  if (kind === 2) await httpService.update({ params: one, body: { blockedIps: ['192.0.2.0/24'] } });
  else if (kind === 3) await httpService.disable({ params: one });
  else await httpService.remove({ params: one });
}

test(`${CHANGES} changes while requests flow`, { timeout: extent(240_000, 900_000) }, async () => {
  const load = (port: number, reuse: boolean) =>
    startLoad({
      port,
      url: `https://${domainOf('steady')}/page`,
      body: 'a /page',
      clients: reuse ? REUSING_CLIENTS : FRESH_CLIENTS,
      reuse,
    });
  const { https } = scene.gateway.ports;
  const loads = [load(https, false), load(https, true), load(bare.httpsPort, true)] as const;
  const before = (await scene.client.system.health()).generation;

  // In turns, so that whatever else the machine does strikes both alike.
  for (let index = 0; index < CHANGES; index += 1) {
    await change(index);
    await bare.reload();
  }

  const generations = (await scene.client.system.health()).generation - before;
  const [fresh, reused, bareReused] = (await Promise.all(loads.map((one) => one.stop()))) as [Toll, Toll, Toll];
  report(
    'changes under load',
    `${CHANGES} changes (${generations} generations) and ${CHANGES} bare reloads of an equal configuration in turns, while ${fresh.asked} requests came on new connections and ${reused.asked} on kept ones`,
    `on new connections ${fresh.lost.length}, on kept ones ${reused.lost.length} (bare reloads: ${bareReused.lost.length})`,
  );
  // One reload for each bare one: with fewer the comparison would flatter.
  expect(generations).toBeGreaterThanOrEqual(CHANGES);
  expect(fresh.asked).toBeGreaterThan(CHANGES);
  expect(fresh.lost).toEqual([]);
  // On a kept connection a request may meet nginx just closing it; only a client can send it again.
  expect(reused.lost.length).toBe(reused.lostOnReused);
  const chance = CHANCE * Math.sqrt(reused.lost.length + bareReused.lost.length);
  expect(reused.lost.length).toBeLessThanOrEqual(bareReused.lost.length + chance);
});

/** What became of the requests of a load. */
type Toll = { asked: number; lost: string[]; lostOnReused: number };

/** Requests that follow each other without a pause, by several clients, until it is stopped. */
type Load = { stop(): Promise<Toll> };

/** @param reuse whether each client keeps its connection for as long as it may, or opens a new one for each request */
function startLoad(options: { port: number; url: string; body: string; clients: number; reuse: boolean }): Load {
  const { port, url, body, clients, reuse } = options;
  const toll: Toll = { asked: 0, lost: [], lostOnReused: 0 };
  let running = true;

  const ask = async (): Promise<void> => {
    const agent = reuse && new Agent({ keepAlive: true, maxSockets: 1 });
    while (running) {
      const begin = performance.now();
      const answer = await visit(port, url, agent);
      toll.asked += 1;
      if (answer.status === 200 && answer.body === body) continue;
      toll.lost.push(`${answer.status} after ${duration(performance.now() - begin)}: ${answer.body.slice(0, 80)}`);
      if (answer.reused) toll.lostOnReused += 1;
    }
    if (agent !== false) agent.destroy();
  };

  const asking = Promise.all(Array.from({ length: clients }, ask));
  return {
    async stop() {
      running = false;
      await asking;
      return toll;
    },
  };
}
