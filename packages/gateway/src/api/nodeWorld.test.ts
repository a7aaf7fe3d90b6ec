import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../testing.ts';
import { asNode, problemsIn, type TestApi, testApi } from '../testing/testApi.ts';

// What the token of a node is told of the gateway as a whole.

let gateway: TestGateway;
let admin: TestApi;
let edge: TestApi;
let ids: Awaited<ReturnType<TestGateway['seed']>>;

beforeEach(async () => {
  gateway = await createTestGateway();
  ids = await gateway.seed();
  admin = testApi(gateway, await gateway.signIn());
  edge = await asNode(gateway, admin, ids.edgeId);
});
afterEach(() => gateway.stop());

const off = {
  feature: 'tunnel' as const,
  reason: 'The network interface wg7 belongs to another program.',
  fix: 'Set SALLYPORT_VPN_INTERFACE.',
};

it('names what does not run, and nothing of why', async () => {
  gateway.world.setUnavailable([off]);
  expect((await admin('GET /api/config')).body['unavailable']).toEqual([off]);
  expect((await edge('GET /api/config')).body['unavailable']).toEqual([
    { feature: 'tunnel', reason: 'It does not run on this gateway.', fix: 'Ask its administrator.' },
  ]);
});

it('does not say of a service why the gateway as a whole does not serve it', async () => {
  const asAdmin = async () => (await admin(`GET /api/services/${ids.edgeId}/http/${ids.wikiId}`)).body['problem'];
  const asEdge = async () =>
    ((await edge('GET /api/cli/node')).body['httpServices'] as { problem: unknown }[])[0]?.problem;
  const ownProblem = await asEdge();
  expect(ownProblem).toBe(await asAdmin());
  gateway.system.ingress.rejectWhen(() => ({ message: 'the disk of /srv/gateway is full', environment: true }));
  expect((await admin('POST /api/domains', { domain: 'new.example.test', skipValidation: true })).status).toBe(200);
  // What is wrong with all services is told where nothing is wrong with this one.
  gateway.system.tunnel.setStatus({ available: true });
  const reason = 'nginx cannot serve: the disk of /srv/gateway is full.';
  gateway.world.setUnavailable([{ feature: 'ingress', reason, fix: 'It is tried again by itself.' }]);
  await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, { name: 'Renamed' });
  expect(await asAdmin()).toBe(reason);
  expect(await asEdge()).toBe('The gateway does not serve it at the moment. Ask the administrator.');
});

it('does not say whose a port is', async () => {
  const port = async (wanted: number) =>
    problemsIn(await edge('POST /api/cli/expose/tcp', { name: `p${wanted}`, backendPort: 22, port: wanted }));
  await admin('POST /api/services/1/tcp', { name: 'db', backendHost: '127.0.0.1', backendPort: 5432, port: 20_001 });
  gateway.world.setPortIsFree((_proto, each) => each !== 20_002);
  const taken = { port: 'This port is not free. Choose another one.' };
  expect([await port(20_001), await port(20_002), await port(20_003)]).toEqual([taken, taken, {}]);
});

it('does not name the files of the gateway where the keys of the node cannot be opened', async () => {
  await gateway.store.write((tx) => tx.nodes.update(ids.edgeId, { sealedPrivateKey: 'v1:AAAA' }));
  expect(await edge('GET /api/cli/config')).toMatchObject({
    status: 400,
    body: { message: 'The configuration of this node cannot be made. Ask the administrator.' },
  });
});
