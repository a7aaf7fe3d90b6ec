import { isApiError } from '@sallyport/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nginxProcesses } from '../support/nginx.ts';
import { duration, report, until } from '../support/fault.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { hear, startSpeaker } from '../support/tcp.ts';

/** Once the port is free again. */
const HEALED_LIMIT_MS = 15_000;
const BACK_LIMIT_MS = 10_000;

let scene: Scene;
let range: { from: number; to: number };
let backend: Awaited<ReturnType<typeof startSpeaker>>;

beforeAll(async () => {
  scene = await openScene();
  range = scene.gateway.ports.tcp;
  backend = await startSpeaker('service');
  await scene.expose('steady');
});
afterAll(async () => {
  await backend?.close();
  await scene?.close();
});

const create = (name: string, port?: number) =>
  scene.client.tcpService.create({
    params: { nodeId: 1 },
    body: { name, backendHost: '127.0.0.1', backendPort: backend.port, ...(port !== undefined && { port }) },
  });
const problemOf = async (id: number) => (await scene.client.tcpService.get({ params: { nodeId: 1, id } })).problem;
const isSteady = async (): Promise<boolean> => (await scene.visit('steady')).body === 'a /';

test('a public port taken by another process', async () => {
  // Before the service is there: it is refused on that port, and gets another one when it asks for none.
  const before = await startSpeaker('stranger', range.from);
  const refusal: unknown = await create('refused', range.from).catch((error: unknown) => error);
  const sentence = isApiError(refusal, 'invalid') ? (refusal.problems[0]?.message ?? '') : String(refusal);
  expect(sentence).toContain(`Port ${range.from} is in use by another process`);
  const other = await create('other');
  expect(other).toMatchObject({ port: range.from + 1, problem: null });
  expect(await hear(other.port)).toBe('service');
  await before.close();

  // While the service is closed: it stays closed, says why, and nobody else is touched.
  const { id, port } = await create('mine', range.from);
  const params = { nodeId: 1, id };
  expect(await hear(port)).toBe('service');
  await scene.client.tcpService.disable({ params });
  const stranger = await startSpeaker('stranger', port);
  const enabled = await scene.client.tcpService.enable({ params }).then(
    ({ problem }) => problem ?? 'enabled, and no word of the port',
    (error: Error) => error.message,
  );
  expect(enabled).toContain(String(port));
  expect(await hear(port)).toBe('stranger');
  expect(await hear(other.port)).toBe('service');
  expect(await isSteady()).toBe(true);
  await scene.expose('meanwhile');
  await stranger.close();
  const opened = await until('the service can be opened', HEALED_LIMIT_MS, async () => {
    await scene.client.tcpService.enable({ params }).catch(() => null);
    return (await hear(port)) === 'service';
  });

  // While nothing runs: the start serves everybody else, says why not this one, and it heals by itself.
  await scene.gateway.end('SIGKILL');
  const { master, workers } = nginxProcesses(scene.gateway.data) ?? { master: 0, workers: [] };
  for (const pid of [master, ...workers.map((worker) => worker.pid)]) process.kill(pid, 'SIGKILL');
  await until('nothing listens any more', BACK_LIMIT_MS, async () => (await hear(port)) === '');
  const thief = await startSpeaker('stranger', port);
  await scene.gateway.start();
  const problem = await problemOf(id);
  expect(problem).toContain(String(port));
  expect(await problemOf(other.id)).toBeNull();
  expect(await hear(other.port)).toBe('service');
  expect(await isSteady()).toBe(true);
  expect((await scene.visit('meanwhile')).body).toBe('a /');
  expect((await scene.expose('later')).problem).toBeNull();
  await thief.close();
  const healed = await until(
    'the service is open again by itself',
    HEALED_LIMIT_MS,
    async () => (await hear(port)) === 'service',
  );
  await until('its problem is gone', BACK_LIMIT_MS, async () => (await problemOf(id)) === null);
  report(
    'public port taken',
    `before a service was made ("${sentence}"), while it was closed ("${enabled}"; open ${duration(opened)} after) and while nothing ran ("${problem}"; open by itself ${duration(healed)} after the port was free)`,
    'no other service',
  );
});
