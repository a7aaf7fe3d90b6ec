import { afterAll, beforeAll, expect, test } from 'vitest';
import { extent } from '../support/extent.ts';
import { megabytes } from '../support/memory.ts';
import { nginxMemory, nginxProcesses } from '../support/nginxProcesses.ts';
import { duration, report } from '../support/report.ts';
import { domainOf, openScene, type Scene } from '../support/scene.ts';
import { until } from '../support/until.ts';
import { type OpenWebSocket, openWebSocket, startEchoServer } from '../support/webSocket.ts';

const RELOADS = extent(50, 250);
const WEB_SOCKETS = 20;
/** Reloads before anything is measured: a master's memory settles with its first ones. */
const WARM_UP = 5;
/** Workers end by themselves once their last connection is closed. */
const GONE_LIMIT_MS = 20_000;
/** What two looks at the same nginx differ by. */
const MEMORY_RATIO_MAX = 1.1;

let scene: Scene;
let backend: Awaited<ReturnType<typeof startEchoServer>>;

beforeAll(async () => {
  scene = await openScene();
  backend = await startEchoServer();
  await scene.expose('sockets', backend.port);
  await scene.expose('other');
});
afterAll(async () => {
  backend?.close();
  await scene?.close();
});

const workers = () => nginxProcesses(scene.gateway.data)?.workers ?? [];
const areOldOnesGone = () => workers().every(({ closing }) => !closing);

/** Changes another service, so that nginx gets another configuration. */
async function reload(index: number): Promise<void> {
  const { client } = scene;
  const { data } = await client.httpService.list({ params: { nodeId: 1 }, query: { search: 'other' } });
  const params = { nodeId: 1, id: data[0]?.id ?? 0 };
  const saved = await client.httpService.update({ params, body: { blockedIps: [`192.0.2.${index % 250}`] } });
  expect(saved.problem).toBeNull();
}

test(`${WEB_SOCKETS} WebSockets over ${RELOADS} reloads`, { timeout: extent(240_000, 900_000) }, async () => {
  for (let index = 0; index < WARM_UP; index += 1) await reload(index + 100);
  await until('the workers of the warm-up are gone', GONE_LIMIT_MS, areOldOnesGone);
  const memoryBefore = nginxMemory(scene.gateway.data);
  const workersBefore = workers().length;

  const open: OpenWebSocket[] = [];
  const openOne = async () => void open.push(await openWebSocket(scene.gateway.ports.https, domainOf('sockets')));
  for (let count = 0; count < WEB_SOCKETS; count += 1) await openOne();
  const { generation } = await scene.client.system.health();
  for (let index = 0; index < RELOADS; index += 1) {
    await reload(index);
    // One more for each of the first reloads: so many generations have to be kept at the same time.
    if (index < WEB_SOCKETS) await openOne();
  }
  const reloads = (await scene.client.system.health()).generation - generation;
  const echoes = await Promise.allSettled(open.map((socket, index) => socket.echo(`still here ${index}\n`)));
  const cut = echoes.filter(({ status }) => status === 'rejected').length;
  const memoryOpen = nginxMemory(scene.gateway.data);
  const workersOpen = workers().length;

  for (const socket of open) socket.close();
  const gone = await until('the old workers are gone', GONE_LIMIT_MS, areOldOnesGone);
  const memoryAfter = nginxMemory(scene.gateway.data);
  report(
    'open WebSockets',
    `${open.length} open (${WEB_SOCKETS} from the beginning) over ${reloads} reloads, then closed; nginx: ${workersBefore} workers with ${megabytes(memoryBefore)} before, ${workersOpen} with ${megabytes(memoryOpen)} meanwhile, ${workers().length} with ${megabytes(memoryAfter)} ${duration(gone)} after`,
    `${cut} connections`,
  );
  expect(cut).toBe(0);
  expect(reloads).toBe(RELOADS);
  expect(workersOpen).toBeGreaterThan(workersBefore);
  expect(workers()).toHaveLength(workersBefore);
  expect(memoryAfter / memoryBefore).toBeLessThanOrEqual(MEMORY_RATIO_MAX);
});
