import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { asNode, type TestApi, testApi } from '../../testing/testApi.ts';
import { NODE_CHANGE_EVERY_MS, NODE_CHANGES } from './pace.ts';

let gateway: TestGateway;
let admin: TestApi;
let ids: Awaited<ReturnType<TestGateway['seed']>>;

beforeEach(async () => {
  gateway = await createTestGateway();
  ids = await gateway.seed();
  admin = testApi(gateway, await gateway.signIn());
});
afterEach(() => gateway.stop());

it('so much at once is so much also for changes that come together', async () => {
  const api = await asNode(gateway, admin, ids.edgeId);
  const expose = (count: number) =>
    api('POST /api/cli/expose/http', { name: `S${count}`, pathLocation: `/s${count}`, backendPort: 80 });
  const answers = await Promise.all(Array.from({ length: NODE_CHANGES + 20 }, (_, count) => expose(count)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(NODE_CHANGES);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
});

it('the tokens of a node may change only so much at once, together', async () => {
  const [first, second] = [await asNode(gateway, admin, ids.edgeId), await asNode(gateway, admin, ids.edgeId)];
  const wiki = `/api/cli/services/http/${ids.wikiId}` as const;
  for (let count = 0; count < NODE_CHANGES; count += 1) {
    // What is refused is not counted.
    expect((await first('PATCH /api/cli/services/http/999/disable')).status).toBe(404);
    const verb = count % 4 < 2 ? 'disable' : 'enable';
    expect((await (count % 2 === 0 ? first : second)(`PATCH ${wiki}/${verb}`)).status).toBe(200);
  }
  const refused = await first(`PATCH ${wiki}/enable`);
  expect(refused).toMatchObject({
    status: 429,
    body: { message: 'This node makes changes too quickly. Try again in 10 s.' },
  });
  expect(refused.headers.get('retry-after')).toBe('10');
  // Who only reads goes on, and so do others.
  expect((await second('GET /api/cli/node')).status).toBe(200);
  expect((await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, { name: 'Renamed' })).status).toBe(200);
  const site = await asNode(gateway, admin, ids.siteId);
  const shop = { name: 'Shop', pathLocation: '/shop', backendHost: '192.0.2.7', backendPort: 80 };
  expect((await site('POST /api/cli/expose/http', shop)).status).toBe(200);

  gateway.clock.advance(NODE_CHANGE_EVERY_MS);
  expect((await first(`PATCH ${wiki}/enable`)).status).toBe(200);
  expect((await first(`PATCH ${wiki}/disable`)).status).toBe(429);
});
