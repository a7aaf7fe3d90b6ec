import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints, isRepeatable } from '@sallyport/sdk/contract';
import Sqlite from 'better-sqlite3';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { KEY_LIFETIME_MS, KEYS_OF_A_CALLER_MAX } from '../store/records.ts';
import { createTestGateway } from '../testing.ts';
import { refuses } from '../testing/fakeIngress.ts';
import {
  holdNextGeneration,
  seedEachTest,
  type SeededGateway,
  type TestApi,
  testApi,
  type TestReply,
} from '../testing/testApi.ts';
import type { RepeatableName } from './idempotency.ts';

// The reply to a write was lost, and it is sent again with the same key.

let { gateway, admin }: SeededGateway = {} as never;
let ids: SeededGateway['ids'] & { tcpId: number; tokenId: number; apiTokenId: number; sessionId: number };
let site: TestApi;
let siteToken: string;
seedEachTest((seeded) => {
  ({ gateway, admin } = seeded);
  ids = { ...seeded.ids, tcpId: 0, tokenId: 0, apiTokenId: 0, sessionId: 0 };
});
beforeEach(async () => {
  const pats = `/api/nodes/${ids.siteId}/pats` as const;
  ids.tcpId = Number((await admin(`POST /api/services/${ids.siteId}/tcp`, { ...tcp, name: 'Broker' })).body['id']);
  ids.tokenId = Number((await admin(`POST ${pats}`, { name: 'ci' })).body['id']);
  const apiToken = { name: 'deploy', scope: ['nodes:read'] };
  ids.apiTokenId = Number((await admin('POST /api/tokens', apiToken)).body['id']);
  const sessions = (await admin('GET /api/sessions')).body as unknown as { id: number; isOwn: boolean }[];
  ids.sessionId = sessions.find(({ isOwn }) => !isOwn)?.id ?? 0;
  siteToken = String((await admin(`POST ${pats}`, { name: 'host' })).body['token']);
  site = testApi(gateway, siteToken);
});

type Call = Parameters<TestApi>[0];
const keyed = (key: string) => ({ 'idempotency-key': key });
const send = (api: TestApi, call: Call, body?: object, key = 'key-1'): Promise<TestReply> =>
  api(call, body, keyed(key));
const isReplayed = ({ headers }: TestReply): boolean => headers.get('idempotency-replayed') === 'true';

type Example = { as?: 'site'; call: () => Call; body?: object };
const http = { name: 'New', pathLocation: '/new', backendHost: '192.0.2.9', domain: 'new.example.test' };
const tcp = { name: 'New', backendHost: '192.0.2.9', backendPort: 22 };
const service = (type: 'http' | 'tcp', id: number) => ({ type, id });
const siteHttp = async () =>
  Number((await site('POST /api/cli/expose/http', { ...http, name: 'Own', pathLocation: '/own' })).body['id']);
let ownId = 0;
let joinKeyId = 0;

const examples: Record<RepeatableName, Example> = {
  'session.logout': { call: () => 'POST /api/auth/logout' },
  'session.end': { call: () => `DELETE /api/sessions/${ids.sessionId}` },
  'session.endOthers': { call: () => 'DELETE /api/sessions' },
  'node.create': { call: () => 'POST /api/nodes', body: { name: 'printer' } },
  'node.update': { call: () => `PATCH /api/nodes/${ids.edgeId}`, body: { name: 'renamed' } },
  'node.enable': { call: () => `PATCH /api/nodes/${ids.edgeId}/enable` },
  'node.disable': { call: () => `PATCH /api/nodes/${ids.edgeId}/disable` },
  'node.remove': { call: () => `DELETE /api/nodes/${ids.edgeId}` },
  'domain.create': { call: () => 'POST /api/domains', body: { domain: 'two.example.test', skipValidation: true } },
  'domain.update': { call: () => `PATCH /api/domains/${ids.domainId}`, body: { ssl: 'self-signed' } },
  'domain.remove': { call: () => `DELETE /api/domains/${ids.domainId}` },
  'bulk.services': {
    call: () => 'POST /api/services/bulk',
    body: { action: 'disable', items: [1, 2, 987_654].flatMap((id) => [service('http', id), service('tcp', id)]) },
  },
  'httpService.create': { call: () => `POST /api/services/${ids.siteId}/http`, body: http },
  'httpService.update': {
    call: () => `PATCH /api/services/1/http/${ids.appId}`,
    body: { domain: 'fresh.example.test' },
  },
  'httpService.enable': { call: () => `PATCH /api/services/1/http/${ids.appId}/enable` },
  'httpService.disable': { call: () => `PATCH /api/services/1/http/${ids.appId}/disable` },
  'httpService.remove': { call: () => `DELETE /api/services/1/http/${ids.appId}` },
  'tcpService.create': { call: () => `POST /api/services/${ids.siteId}/tcp`, body: tcp },
  'tcpService.update': { call: () => `PATCH /api/services/${ids.siteId}/tcp/${ids.tcpId}`, body: { name: 'Mqtt' } },
  'tcpService.enable': { call: () => `PATCH /api/services/${ids.siteId}/tcp/${ids.tcpId}/enable` },
  'tcpService.disable': { call: () => `PATCH /api/services/${ids.siteId}/tcp/${ids.tcpId}/disable` },
  'tcpService.remove': { call: () => `DELETE /api/services/${ids.siteId}/tcp/${ids.tcpId}` },
  'token.create': { call: () => `POST /api/nodes/${ids.edgeId}/pats`, body: { name: 'laptop' } },
  'token.revoke': { call: () => `PATCH /api/nodes/${ids.siteId}/pats/${ids.tokenId}/revoke` },
  'token.remove': { call: () => `DELETE /api/nodes/${ids.siteId}/pats/${ids.tokenId}` },
  'joinKey.create': { call: () => 'POST /api/join-keys', body: { name: 'racks' } },
  'joinKey.remove': { call: () => `DELETE /api/join-keys/${joinKeyId}` },
  'apiToken.create': { call: () => 'POST /api/tokens', body: { name: 'ci', scope: ['nodes:read'] } },
  'apiToken.remove': { call: () => `DELETE /api/tokens/${ids.apiTokenId}` },
  'settings.changeAuthority': {
    call: () => 'PATCH /api/settings/certificate-authority',
    body: { email: 'me@example.com' },
  },
  'publicAddress.change': { call: () => 'PATCH /api/public-address', body: { host: '203.0.113.9' } },
  'cli.gateway': { as: 'site', call: () => 'PATCH /api/cli/node/gateway', body: { gatewayNetwork: '10.1.0.0/24' } },
  'cli.exposeHttp': { as: 'site', call: () => 'POST /api/cli/expose/http', body: http },
  'cli.exposeTcp': { as: 'site', call: () => 'POST /api/cli/expose/tcp', body: tcp },
  'cli.updateHttp': { as: 'site', call: () => `PATCH /api/cli/services/http/${ownId}`, body: { name: 'Other' } },
  'cli.updateTcp': { as: 'site', call: () => `PATCH /api/cli/services/tcp/${ids.tcpId}`, body: { name: 'Other' } },
  'cli.enableHttp': { as: 'site', call: () => `PATCH /api/cli/services/http/${ownId}/enable`, body: { ttl: '1h' } },
  'cli.disableHttp': { as: 'site', call: () => `PATCH /api/cli/services/http/${ownId}/disable` },
  'cli.enableTcp': { as: 'site', call: () => `PATCH /api/cli/services/tcp/${ids.tcpId}/enable`, body: { ttl: '1h' } },
  'cli.disableTcp': { as: 'site', call: () => `PATCH /api/cli/services/tcp/${ids.tcpId}/disable` },
  'cli.regenerate': { as: 'site', call: () => 'PATCH /api/cli/regenerate' },
};

/** A reply without what may differ: the time passes, a name is looked up, and a lost secret is replaced. */
function lasting(reply: unknown): unknown {
  if (typeof reply !== 'object' || reply === null) return reply;
  const {
    token: _,
    code: __,
    prefix: ___,
    version: ____,
    updated_at: _____,
    dnsState: ______,
    dnsCheckedAt: _______,
    ...rest
  } = reply as Record<string, unknown>;
  return rest;
}

describe('every write', () => {
  it('has an example here', () => {
    const all = endpoints.filter(({ endpoint }) => isRepeatable(endpoint)).map(({ name }) => name);
    expect(Object.keys(examples).toSorted()).toEqual(all.toSorted());
    // Signing in is not among them: it leaves nothing that a second time could harm, and no caller to keep a key for. A host
    // that joins says a claim instead, a test of the settings changes nothing, and of a provider's secret no hash is kept.
    const writes = endpoints.filter(({ endpoint }) => endpoint.method !== 'GET').map(({ name }) => name);
    expect(
      writes
        .filter((name) => !all.includes(name))
        .every(
          (name) =>
            name.startsWith('session.') ||
            ['joinKey.redeem', 'settings.test', 'settings.changeProvider'].includes(name),
        ),
    ).toBe(true);
  });

  it.each(Object.entries(examples))('%s is carried out once and answered twice', async (_name, { as, call, body }) => {
    ownId = await siteHttp();
    joinKeyId = Number((await admin('POST /api/join-keys', { name: 'old' })).body['id']);
    const api = as === 'site' ? site : admin;
    const rows = () =>
      Promise.all([
        gateway.store.nodes.all(),
        gateway.store.httpServices.all(),
        gateway.store.tcpServices.all(),
        gateway.store.domains.all(),
      ]);
    const first = await send(api, call(), body);
    expect([first.status, isReplayed(first)]).toEqual([200, false]);
    const after = await rows();
    const tokens = (await gateway.store.tokens.all()).map(({ id }) => id);
    const again = await send(api, call(), body);
    expect([again.status, isReplayed(again)]).toEqual([200, true]);
    expect(lasting(again.body)).toEqual(lasting(first.body));
    expect(await rows()).toEqual(after);
    expect((await gateway.store.tokens.all()).map(({ id }) => id)).toEqual(tokens);
  });
});

describe('a key', () => {
  const create = (name: string, key = 'key-1') => send(admin, 'POST /api/nodes', { name }, key);
  const names = async () => (await gateway.store.nodes.all()).map(({ name }) => name);

  it('has one outcome when both requests come at once', async () => {
    const [one, other] = await Promise.all([create('printer'), create('printer')]);
    expect([one?.status, other?.status]).toEqual([200, 200]);
    expect(one?.body['id']).toBe(other?.body['id']);
    expect((await names()).filter((name) => name === 'printer')).toHaveLength(1);
  });

  it('is of no use to a caller whose token ends while the first request takes its time', async () => {
    const { begun, loaded } = holdNextGeneration(gateway);
    const expose = () => send(site, 'POST /api/cli/expose/http', http);
    const first = expose();
    await begun;
    const lookUps = vi.spyOn(gateway.store.tokens, 'all');
    const second = expose();
    await vi.waitFor(() => expect(lookUps).toHaveBeenCalled());
    const [host] = await gateway.store.tokens.all({ name: 'host' });
    await gateway.store.write((tx) => tx.tokens.update(host?.id ?? 0, { revoked: true }));
    loaded();
    expect([(await first).status, (await second).status]).toEqual([200, 401]);
  });

  it('belongs to one request: another body, another thing, another call or another version is refused', async () => {
    await create('printer');
    const said = 'This Idempotency-Key belongs to another request. Send this one with a key of its own.';
    const others = [
      await create('scanner'),
      await send(admin, `PATCH /api/nodes/${ids.edgeId}/disable`),
      await admin('POST /api/nodes', { name: 'printer' }, { ...keyed('key-1'), 'if-match': '"7"' }),
    ];
    expect(others.map(({ status, body }) => [status, body['message']])).toEqual(others.map(() => [409, said]));
    await send(admin, `PATCH /api/nodes/${ids.edgeId}/disable`, undefined, 'key-2');
    expect((await send(admin, `PATCH /api/nodes/${ids.siteId}/disable`, undefined, 'key-2')).status).toBe(409);
    expect(await gateway.store.nodes.get(ids.siteId)).toMatchObject({ enabled: true });
  });

  it('means nothing to another caller', async () => {
    await send(admin, `POST /api/services/${ids.siteId}/tcp`, tcp);
    const own = await send(site, 'POST /api/cli/expose/tcp', { ...tcp, name: 'Own' });
    expect([own.status, isReplayed(own), own.body['name']]).toEqual([200, false, 'Own']);
  });

  it('is still good after another sign-in, which is the same administrator', async () => {
    const { body } = await create('printer');
    admin = testApi(gateway, await gateway.signIn());
    expect(await create('printer')).toMatchObject({ status: 200, body: { id: body['id'] } });
  });

  it('of a refused request is free: nothing was changed, so it is tried again', async () => {
    expect((await create('')).status).toBe(422);
    expect(await create('printer')).toMatchObject({ status: 200 });
  });

  it('goes with a change that nginx refused and that was taken back', async () => {
    const app = () => send(admin, `PATCH /api/services/1/http/${ids.appId}`, { backendPort: 9000 });
    const accept = gateway.system.ingress.rejectWhen(refuses(':9000'));
    expect(await app()).toMatchObject({ status: 400 });
    accept();
    const again = await app();
    expect([again.status, isReplayed(again)]).toEqual([200, false]);
    expect(await gateway.store.httpServices.get(ids.appId)).toMatchObject({ backendPort: 9000 });
  });

  it('is refused when it cannot be one, and ignored where nothing is written', async () => {
    expect(await send(admin, 'POST /api/nodes', { name: 'a' }, 'two words')).toMatchObject({ status: 400 });
    expect(await send(admin, 'POST /api/nodes', { name: 'a' }, 'x'.repeat(201))).toMatchObject({ status: 400 });
    expect((await send(admin, 'GET /api/nodes', undefined, 'two words')).status).toBe(200);
  });

  it('says so when what it made is gone', async () => {
    const { body } = await create('printer');
    await admin(`DELETE /api/nodes/${String(body['id'])}`);
    expect(await create('printer')).toMatchObject({
      status: 409,
      body: { message: 'This request was carried out before, and what it concerns has been deleted since.' },
    });
  });

  it('is kept for a day, and then removed', async () => {
    const { body } = await create('printer');
    gateway.clock.advance(KEY_LIFETIME_MS - 1000);
    admin = testApi(gateway, await gateway.signIn());
    expect((await create('printer')).body['id']).toBe(body['id']);
    gateway.clock.advance(3_600_000 + 1000);
    await expect.poll(() => gateway.store.idempotencyKeys.find('admin', '')).toBeNull();
    await expect.poll(() => gateway.store.idempotencyKeys.hasExpired()).toBe(false);
    await admin(`DELETE /api/nodes/${String(body['id'])}`);
    expect(isReplayed(await create('printer'))).toBe(false);
  });

  it('of one caller does not push out those of another, and the oldest go first', async () => {
    await create('printer');
    const keep = (caller: string, keyHash: string) =>
      gateway.store.write((tx) =>
        tx.idempotencyKeys.keep({ caller, keyHash, call: 'x', requestHash: '', tokenHash: '', outcome: {} }),
      );
    for (let number = 0; number <= KEYS_OF_A_CALLER_MAX; number += 1) await keep('node 7', String(number));
    expect(await gateway.store.idempotencyKeys.find('node 7', '0')).toBeNull();
    expect(await gateway.store.idempotencyKeys.find('node 7', '1')).not.toBeNull();
    expect(isReplayed(await create('printer'))).toBe(true);
  });
});

describe('a secret that was lost', () => {
  const secretOf = ({ body }: TestReply): string => String(body['token']);
  const isAccepted = async (token: string) => (await testApi(gateway, token)('GET /api/cli/node')).status === 200;

  it.each([
    ['node.create', (): string => 'POST /api/nodes', { name: 'printer' }],
    ['token.create', (): string => `POST /api/nodes/${ids.edgeId}/pats`, { name: 'laptop' }],
  ] as const)('%s replaces it: the new one works, the first one does not', async (_name, call, body) => {
    const first = secretOf(await send(admin, call() as Call, body));
    const second = secretOf(await send(admin, call() as Call, body));
    expect(second).not.toBe(first);
    expect([await isAccepted(first), await isAccepted(second)]).toEqual([false, true]);
  });

  it('is not replaced once it was used: anyone who uses it would lose it', async () => {
    const create = (): Promise<TestReply> => send(admin, 'POST /api/nodes', { name: 'printer' });
    const first = secretOf(await create());
    expect(await isAccepted(first)).toBe(true);
    const again = await create();
    expect([again.status, again.body['message']]).toEqual([
      409,
      expect.stringContaining('Create another access token'),
    ]);
    expect(again.body).not.toHaveProperty('token');
    expect(await isAccepted(first)).toBe(true);
  });

  it('does not bring a revoked token back', async () => {
    const create = () => send(admin, `POST /api/nodes/${ids.edgeId}/pats`, { name: 'laptop' });
    const { body } = await create();
    await admin(`PATCH /api/nodes/${ids.edgeId}/pats/${String(body['id'])}/revoke`);
    expect((await create()).status).toBe(409);
  });

  it('is nowhere in the database, and neither is the key', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-idempotency-'));
    const database = join(directory, 'sallyport.db');
    const other = await createTestGateway({ database });
    const api = testApi(other, await other.signIn());
    const made = await send(api, 'POST /api/nodes', { name: 'printer' }, 'the-key-itself');
    await other.stop();
    const rows = new Sqlite(database, { readonly: true }).prepare('select * from idempotency_keys').all();
    rmSync(directory, { recursive: true });
    const text = JSON.stringify(rows);
    expect(rows).toMatchObject([
      { call: 'node.create', outcome: expect.stringMatching(/^\{"id":\d+,"tokenId":\d+\}$/) },
    ]);
    expect(text).not.toContain(secretOf(made));
    expect(text).not.toContain('the-key-itself');
  });
});

describe('new keys for a node, whose reply was lost', () => {
  const regenerate = (key = 'key-1', token = siteToken) =>
    send(testApi(gateway, token), 'PATCH /api/cli/regenerate', undefined, key);
  const tokens = () => gateway.store.tokens.all({ nodeId: ids.siteId });

  it('come with the old token, which is of no use for anything else', async () => {
    await regenerate();
    const [made] = await tokens();
    expect((await site('GET /api/cli/node')).status).toBe(401);
    expect((await site('PATCH /api/cli/regenerate')).status).toBe(401);
    expect((await regenerate('another-key')).status).toBe(401);
    expect((await regenerate('key-1', 'spn_another')).status).toBe(401);
    expect((await send(site, `PATCH /api/cli/services/tcp/${ids.tcpId}/disable`)).status).toBe(401);
    const second = await regenerate();
    expect(second.status).toBe(200);
    expect((await tokens()).map(({ id }) => id)).toEqual([made?.id]);
    expect((await testApi(gateway, String(second.body['token']))('GET /api/cli/node')).status).toBe(200);
  });

  it('come only as long as no one has used the new token', async () => {
    const { body } = await regenerate();
    await testApi(gateway, String(body['token']))('GET /api/cli/node');
    expect((await regenerate()).status).toBe(401);
  });

  it('do not come once the node is disconnected', async () => {
    await regenerate();
    await admin(`PATCH /api/nodes/${ids.siteId}/disable`);
    expect((await regenerate()).status).toBe(403);
  });

  it('do not give a thief a way back once the administrator has taken the token away', async () => {
    await regenerate();
    const [made] = await tokens();
    await admin(`DELETE /api/nodes/${ids.siteId}/pats/${String(made?.id)}`);
    expect((await regenerate()).status).toBe(401);
    expect(await tokens()).toEqual([]);
  });
});
