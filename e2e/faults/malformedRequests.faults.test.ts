import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { extent, SEED } from '../support/extent.ts';
import { malformedRequest, type MalformedRequest } from '../support/malformedRequest.ts';
import { gatewayMemory, megabytes, WITH_MEMORY } from '../support/memory.ts';
import { report } from '../support/report.ts';
import { openScene, type Scene } from '../support/scene.ts';

const REQUESTS = extent(2000, 20_000);
/** A program that has done little yet still grows by the code that it compiles: a tenth of a short way is too early. */
const WARM_UP = extent(1000, 0);
const ANSWER_LIMIT_MS = 10_000;
/** What may be left at the end of what there was at a tenth of the way. */
const MEMORY_RATIO_MAX = extent(1.2, 1.1);

let scene: Scene;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  scene = await openScene(WITH_MEMORY);
});
afterAll(async () => {
  agent.destroy();
  await scene?.close();
});

type Answer = { status: number; body: string };

/** Sends it over a real socket and takes in the answer; of a stream only that it begins. */
function send({ method, path, headers, body }: MalformedRequest): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request({
    host: '127.0.0.1',
    port: scene.gateway.ports.api,
    agent,
    method,
    path,
    headers: { ...headers, ...(body !== null && { 'content-length': body.byteLength }) },
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  sent.once('error', reject);
  sent.once('response', (response) => {
    const status = response.statusCode ?? 0;
    if (response.headers['content-type'] === 'text/event-stream') {
      resolve({ status, body: '' });
      response.destroy();
      return;
    }
    text(response).then((answer) => resolve({ status, body: answer }), reject);
  });
  sent.end(body ?? undefined);
  return promise;
}

test(`${REQUESTS} malformed requests made from the contract`, { timeout: extent(240_000, 600_000) }, async () => {
  const { pid } = scene.gateway.child();
  const statuses = new Map<number, number>();
  let sent = 0;
  let memoryBefore = 0;
  await fc.assert(
    fc.asyncProperty(malformedRequest(scene.token), async (malformed) => {
      const { status, body } = await send(malformed);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status, `${malformed.method} ${malformed.path}: ${status} ${body}`).toBeLessThan(500);
      sent += 1;
      if (sent === WARM_UP + REQUESTS / 10) memoryBefore = await gatewayMemory(scene.gateway);
    }),
    { numRuns: WARM_UP + REQUESTS, seed: SEED },
  );
  const memoryAfter = await gatewayMemory(scene.gateway);
  report(
    'malformed requests',
    `${sent} over a real socket, answered with ${[...statuses.entries()]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${status} (${count})`)
      .join(', ')}; ${megabytes(memoryBefore)} of memory at a tenth of the way, ${megabytes(memoryAfter)} at the end`,
    'nothing',
  );
  expect(scene.gateway.child().pid).toBe(pid);
  expect(scene.gateway.child().exitCode).toBeNull();
  expect((await scene.client.system.health()).status).toBe('ok');
  expect(memoryAfter / memoryBefore).toBeLessThanOrEqual(MEMORY_RATIO_MAX);
});
