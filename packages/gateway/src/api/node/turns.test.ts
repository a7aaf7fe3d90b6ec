import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { asNode, testApi } from '../../testing/testApi.ts';
import { NODE_WRITES_UNDER_WAY } from './writesUnderWay.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await createTestGateway();
});
afterEach(() => gateway.stop());

it.each([
  ['GET /api/cli/node', undefined, 200, 200],
  ['POST /api/cli/expose/http', { name: 'x', backendPort: 'none' }, 422, NODE_WRITES_UNDER_WAY],
] as const)('calls of one node that come together (%s) let others in between', async (call, input, answer, count) => {
  const { edgeId } = await gateway.seed();
  const admin = testApi(gateway, await gateway.signIn());
  const nodes = [await asNode(gateway, admin, edgeId), await asNode(gateway, admin, edgeId)];
  let waiting = count;
  const calls = Array.from({ length: count }, async (_, index) => {
    const reply = await nodes[index % 2]?.(call, input);
    expect(reply?.status).toBe(answer);
    waiting -= 1;
  });
  let rounds = 0;
  for (; waiting > 0; rounds += 1) await nextRound();
  await Promise.all(calls);
  // Each round of the event loop hears what has come from others.
  expect(rounds).toBeGreaterThanOrEqual(count);
});
