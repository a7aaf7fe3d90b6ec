import { expect, it, onTestFinished } from 'vitest';
import { createTestGateway } from '../../testing.ts';
import { problemsIn, seedNodesEachTest, type SeededNodes, testApi } from '../../testing/testApi.ts';

let { gateway, admin, ids, edge }: SeededNodes = {} as never;
seedNodesEachTest((seeded) => {
  ({ gateway, admin, ids, edge } = seeded);
});

const read = async () => (await admin('GET /api/public-address')).body;

it('says by which address the gateway is reached, what is known of it, and what else it could be', async () => {
  const candidates = [{ host: '203.0.113.9', what: 'the address of eth0' }];
  gateway.world.setPublicAddress({
    report: async ({ host, source }) => ({ warnings: [`${host} ${source}`], facts: ['not tried'] }),
    candidates: async () => candidates,
  });
  const { VPN_HOST: host } = (await admin('GET /api/config')).body;
  expect(await read()).toEqual({
    host,
    source: 'setting',
    next: null,
    problem: null,
    warnings: [`${String(host)} setting`],
    facts: ['not tried'],
    lastHandshakeAt: null,
    candidates,
  });
  const at = Date.parse('2026-11-21T11:59:00.000Z');
  gateway.world.setNodeRuntime(ids.edgeId, { latestHandshakeTimestamp: at - 1 });
  gateway.world.setNodeRuntime(ids.siteId, { latestHandshakeTimestamp: at });
  expect(await read()).toMatchObject({ lastHandshakeAt: '2026-11-21T11:59:00.000Z' });
});

it('keeps another one for the next start, and until then goes on with the one that counts', async () => {
  const asked: string[] = [];
  gateway.world.setPublicAddress({
    async report({ host }) {
      asked.push(host);
      return { warnings: [], facts: [] };
    },
  });
  const { VPN_HOST: host } = (await admin('GET /api/config')).body;
  const { status, body } = await admin('PATCH /api/public-address', { host: ' GW.example.com ' });
  expect([status, body]).toMatchObject([200, { host, next: 'gw.example.com' }]);
  expect(asked).toEqual(['gw.example.com']);
  expect(await gateway.store.settings.get('publicAddress')).toBe('gw.example.com');
  expect((await admin('GET /api/config')).body).toMatchObject({ VPN_HOST: host });
  expect(await read()).toMatchObject({ next: 'gw.example.com' });
  await admin('PATCH /api/public-address', { host: String(host) });
  expect(await read()).toMatchObject({ next: null });
});

it.each(['', 'http://gw.example.com', 'a b', '192.0.2.300'])('refuses %j', async (host) => {
  expect((await admin('PATCH /api/public-address', { host })).status).toBe(422);
});

it('warns of a name that is a domain, which would lose its own place', async () => {
  await admin('PATCH /api/public-address', { host: 'app.example.test' });
  expect(await read()).toMatchObject({
    warnings: [expect.stringMatching(/^app\.example\.test is one of your domains/)],
  });
});

it('warns of a name under which a node had a website, whose programs browsers keep', async () => {
  const web = { name: 'web', backendPort: 8080 };
  expect((await edge('POST /api/cli/expose/http', { ...web, domain: 'gw.home.test' })).status).toBe(200);
  expect((await edge('POST /api/cli/expose/http', { ...web, domain: 'web.home.test' })).status).toBe(200);
  await admin('PATCH /api/public-address', { host: 'gw.home.test' });
  expect(await read()).toMatchObject({ warnings: [expect.stringMatching(/^A node had a website at gw\.home\.test/)] });
});

it('is not changed where the environment says it', async () => {
  const fixed = await createTestGateway({ hostSource: 'environment' });
  onTestFinished(() => fixed.stop());
  const api = testApi(fixed, await fixed.signIn());
  await fixed.store.write((tx) => tx.settings.set('publicAddress', 'old.example.test'));
  expect((await api('GET /api/public-address')).body).toMatchObject({
    next: null,
    problem: expect.stringContaining('SALLYPORT_VPN_HOST'),
  });
  const { status, body } = await api('PATCH /api/public-address', { host: '203.0.113.9' });
  expect([status, body['message']]).toEqual([400, expect.stringContaining('SALLYPORT_VPN_HOST')]);
  expect(await fixed.store.settings.get('publicAddress')).toBe('old.example.test');
});

it('is no name for the token of a node from then on, nor is one above it', async () => {
  expect((await admin('PATCH /api/public-address', { host: 'gw.home.test' })).status).toBe(200);
  for (const domain of ['gw.home.test', 'home.test']) {
    for (const type of ['http', 'tcp'] as const) {
      const reply = await edge(`POST /api/cli/expose/${type}`, { name: 'web', backendPort: 8080, domain });
      expect([reply.status, problemsIn(reply)]).toEqual([
        422,
        { domain: expect.stringMatching(/^This node may not use this domain/) },
      ]);
    }
  }
  const next = { name: 'web', backendPort: 8080, domain: 'web.home.test' };
  expect((await edge('POST /api/cli/expose/http', next)).status).toBe(200);
});
