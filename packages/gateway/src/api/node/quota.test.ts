import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { asNode, type TestApi, testApi } from '../../testing/testApi.ts';

// How much the access token of a node may take of what all nodes share.

let gateway: TestGateway;
let admin: TestApi;
let edge: TestApi;
let ids: Awaited<ReturnType<TestGateway['seed']>>;

beforeEach(async () => {
  gateway = await createTestGateway({ nodeLimits: { services: 5, publicPorts: 2, listEntries: 6 } });
  ids = await gateway.seed();
  admin = testApi(gateway, await gateway.signIn());
  edge = await asNode(gateway, admin, ids.edgeId);
});
afterEach(async () => {
  expect(gateway.errors).toEqual([]);
  await gateway.stop();
});

const http = (name: string, more: object = {}) =>
  edge('POST /api/cli/expose/http', { name, pathLocation: `/${name}`, ...more });
const tcp = (name: string, more: object = {}) => edge('POST /api/cli/expose/tcp', { name, backendPort: 22, ...more });
const said = (reply: Awaited<ReturnType<TestApi>>) => [reply.status, reply.body['message']];
const addresses = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index}`);

it('refuses a token more services than its node may have, also when they are asked for at once', async () => {
  // The seed gives the node one.
  const replies = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => http(name)));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 400, 400]);
  const full =
    'This node has 5 services, and its access tokens may not add to more than 5. Ask the administrator to delete some, or to raise SALLYPORT_NODE_SERVICES.';
  expect(said(await http('g'))).toEqual([400, full]);
  expect(said(await tcp('g'))).toEqual([400, full]);
  // What is there stays changeable, and the administrator goes on.
  expect((await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, { backendPort: 81 })).status).toBe(200);
  const more = await admin(`POST /api/services/${ids.edgeId}/http`, { name: 'h', pathLocation: '/h' });
  expect(more.status).toBe(200);
});

it('refuses a token more public ports than its node may have', async () => {
  const replies = await Promise.all(['a', 'b', 'c', 'd'].map((name) => tcp(name)));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 400, 400]);
  const full =
    'This node has 2 public ports, and its access tokens may not add to more than 2. Ask the administrator to delete some, or to raise SALLYPORT_NODE_PORTS.';
  expect(said(await tcp('e', { port: 20_500 }))).toEqual([400, full]);
  expect((await http('e')).status).toBe(200);
  expect((await admin(`POST /api/services/${ids.edgeId}/tcp`, { name: 'e', backendPort: 22 })).status).toBe(200);
});

it('refuses a token more entries of lists than its services may have together', async () => {
  expect((await http('a', { allowedIps: addresses(2), blockedIps: addresses(2) })).status).toBe(200);
  expect((await tcp('b', { allowedIps: addresses(2) })).status).toBe(200);
  const full =
    "This node's services would have 7 entries in their lists, and its access tokens may not add to more than 6. Shorten a list, or ask the administrator to raise SALLYPORT_NODE_LIST_ENTRIES.";
  expect(said(await http('c', { allowedIps: addresses(1) }))).toEqual([400, full]);
  expect(said(await tcp('b', { allowedIps: addresses(3) }))).toEqual([400, full]);
  expect(said(await http('a', { skipAuthRoutes: '/open' }))).toEqual([400, full]);
  expect((await tcp('b', { allowedIps: addresses(1) })).status).toBe(200);
  const all = await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, { allowedIps: addresses(9) });
  expect(all.status).toBe(200);
  // What the administrator gave does not keep the node from changing something else, or taking entries away.
  expect((await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, { backendPort: 82 })).status).toBe(200);
  const fewer = { allowedIps: addresses(8) };
  expect((await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, fewer)).status).toBe(200);
});

it('keeps as many tokens, keys and domains as before, however often a token asks for others', async () => {
  let token = edge;
  for (let round = 0; round < 5; round += 1) {
    const { body } = await token('PATCH /api/cli/regenerate');
    token = testApi(gateway, String(body['token']));
    await token('POST /api/cli/expose/http', { name: 'roaming', domain: `d${round}.example.test` });
  }
  expect(await gateway.store.tokens.all({ nodeId: ids.edgeId })).toHaveLength(1);
  expect(await gateway.store.domains.all()).toHaveLength(2);
});
