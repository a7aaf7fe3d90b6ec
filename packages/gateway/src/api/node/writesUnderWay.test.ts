import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { asNode, testApi } from '../../testing/testApi.ts';
import { NODE_WRITES_UNDER_WAY } from './writesUnderWay.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await createTestGateway();
});
afterEach(() => gateway.stop());

/** A body of which nothing has come yet. */
function slowBody() {
  const asked = Promise.withResolvers<void>();
  let end = (): void => undefined;
  const body = new ReadableStream(
    {
      start(controller) {
        end = () => controller.close();
      },
      pull: () => asked.resolve(),
    },
    { highWaterMark: 0 },
  );
  return { body, asked: asked.promise, end: () => end() };
}

it('the bodies of one node are waited for only so many at once', async () => {
  const { edgeId, siteId } = await gateway.seed();
  const admin = testApi(gateway, await gateway.signIn());
  const { body: made } = await admin(`POST /api/nodes/${edgeId}/pats`, { name: 'slow', expireAt: null });
  const [edge, site] = [testApi(gateway, String(made['token'])), await asNode(gateway, admin, siteId)];
  const send = (body: ReadableStream) =>
    gateway.fetch('/api/cli/expose/http', {
      method: 'POST',
      headers: { authorization: `Bearer ${String(made['token'])}` },
      body,
      duplex: 'half',
    } as RequestInit);
  const slow = Array.from({ length: NODE_WRITES_UNDER_WAY }, slowBody);
  const answers = slow.map(({ body }) => send(body));
  await Promise.all(slow.map(({ asked }) => asked));

  const refused = await edge('POST /api/cli/expose/http', {});
  expect(refused).toMatchObject({
    status: 429,
    body: { message: 'This node has 64 changes under way, and may not have more. Wait until one of them is answered.' },
  });
  expect(refused.headers.get('retry-after')).toBe('1');
  // Who only reads goes on, and so do others.
  expect((await edge('GET /api/cli/node')).status).toBe(200);
  expect((await site('POST /api/cli/expose/http', {})).status).toBe(422);

  for (const { end } of slow) end();
  for (const answer of await Promise.all(answers)) expect(answer.status).toBe(422);
  expect((await edge('POST /api/cli/expose/http', {})).status).toBe(422);
});

it('a body of a node’s may have 256 kB', async () => {
  const { edgeId } = await gateway.seed();
  const admin = testApi(gateway, await gateway.signIn());
  const edge = await asNode(gateway, admin, edgeId);
  expect((await edge('POST /api/cli/expose/http', { name: 'x'.repeat(255_000) })).status).toBe(422);
  expect((await edge('POST /api/cli/expose/http', { name: 'x'.repeat(256_000) })).status).toBe(413);
  expect((await admin('POST /api/nodes', { name: 'x'.repeat(256_000) })).status).toBe(422);
});
