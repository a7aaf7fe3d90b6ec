import { describe, expect, it } from 'vitest';
import { createNodeToken } from '../token/token.ts';
import { asNode, problemsIn, seedNodesEachTest, type SeededNodes, testApi } from '../../testing/testApi.ts';

let { gateway, admin, ids, edge, site }: SeededNodes = {} as never;
seedNodesEachTest((seeded) => ({ gateway, admin, ids, edge, site } = seeded));

describe('the token’s node', () => {
  it('is read with everything that it exposes, and no one else’s', async () => {
    const { status, body } = await edge('GET /api/cli/node');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: ids.edgeId, name: 'edge', tcpServices: [] });
    expect(body['httpServices']).toMatchObject([{ id: ids.wikiId, name: 'Wiki' }]);
    expect(JSON.stringify(body)).not.toMatch(/v1:|Key"/);
  });

  it('says at once that a backend answers again when it is asked for a fresh verdict, and else what was last seen', async () => {
    const peer = '127.0.0.1:9090';
    gateway.backends.set(peer, 'Nothing listens.');
    const service = { name: 'Late', pathLocation: '/late', backendHost: '127.0.0.1', backendPort: 9090 };
    const { body: made } = await admin('POST /api/services/1/http', service);
    // Only the gateway's own node has backends that are reached without a tunnel.
    const { value: token } = await gateway.store.write((tx) =>
      createNodeToken(tx, 1, { name: 'local', expireAt: null }),
    );
    const local = testApi(gateway, token.secret);
    const health = async (query: string) => {
      const { body } = await local(`GET /api/cli/node${query}`);
      return (body['httpServices'] as { id: number; health: string }[]).find(({ id }) => id === made['id'])?.health;
    };
    gateway.backends.set(peer, null);
    gateway.clock.advance(2000);
    expect(await health('')).toBe('down');
    expect(await health('?fresh=true')).toBe('up');
  });

  it('gets its configuration whole and in parts, which is the one that the administrator downloads', async () => {
    const text = (await edge('GET /api/cli/config')).body as unknown as string;
    const { body } = await edge('GET /api/cli/wgconfig');
    const headers = { authorization: `Bearer ${await gateway.signIn()}` };
    const file = await gateway.fetch(`/api/nodes/${ids.edgeId}/download`, { headers });
    expect(await file.text()).toBe(text);
    expect(text).toContain(`PrivateKey = ${String(body['privateKey'])}\n`);
    expect(body).toMatchObject({
      address: '10.88.0.2/32',
      peer: {
        allowedIPs: '10.88.0.0/16',
        persistentKeepalive: 10,
        endpoint: { url: 'vpn.example.test:51820', host: 'vpn.example.test', port: '51820' },
      },
    });
  });
});

describe('the subnet behind the token’s node', () => {
  it('is changed, its interface stays', async () => {
    const { status, body } = await site('PATCH /api/cli/node/gateway', { gatewayNetwork: '10.1.0.0/24' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ gatewayNetworks: [{ interface: 'eth0', subnet: '10.1.0.0/24' }] });
    const lan = { gatewayNetwork: '10.1.0.0/25', gatewayInterface: 'lan0' };
    expect((await site('PATCH /api/cli/node/gateway', lan)).body).toMatchObject({
      gatewayNetworks: [{ interface: 'lan0', subnet: '10.1.0.0/25' }],
    });
  });

  it('is none of a node that is no gateway', async () => {
    const { status, body } = await edge('PATCH /api/cli/node/gateway', { gatewayNetwork: '10.1.0.0/24' });
    expect(status).toBe(400);
    expect(body['message']).toMatch(/^This node isn't a gateway/);
  });

  it('has an interface that can be part of a command', async () => {
    const reply = await site('PATCH /api/cli/node/gateway', {
      gatewayNetwork: '10.1.0.0/24',
      gatewayInterface: 'eth0; reboot',
    });
    expect(Object.keys(problemsIn(reply))).toEqual(['gatewayInterface']);
  });
});

describe('exposing', () => {
  it('exposes on the token’s node', async () => {
    const http = await edge('POST /api/cli/expose/http', {
      name: 'web',
      domain: 'web.example.test',
      backendPort: 8080,
    });
    expect(http).toMatchObject({ status: 200, body: { nodeId: ids.edgeId, name: 'web', domainCreated: true } });
    const tcp = await edge('POST /api/cli/expose/tcp', { name: 'ssh', backendPort: 22, ttl: '10m' });
    expect(tcp).toMatchObject({ status: 200, body: { nodeId: ids.edgeId, port: 20_000 } });
    expect(tcp.body['expiresAt']).toBe('2026-11-21T12:10:00.000Z');
  });

  it.each(['id', 'nodeId'])('refuses a body that says %s', async (field) => {
    for (const kind of ['http', 'tcp']) {
      const reply = await edge(`POST /api/cli/expose/${kind}`, {
        name: 'x',
        ...(kind === 'http' && { pathLocation: '/x' }),
        backendPort: 80,
        [field]: ids.appId,
      });
      expect(reply.status).toBe(422);
      expect(problemsIn(reply)).toEqual({ [field]: `"${field}" is not allowed` });
    }
    expect(await gateway.store.httpServices.get(ids.appId)).toMatchObject({ nodeId: 1, version: 1 });
  });
});

describe('exposing the same name once more', () => {
  it('changes that service, opens it, and leaves alone what is not said', async () => {
    const first = await edge('POST /api/cli/expose/http', { name: 'web', pathLocation: '/web', backendPort: 8080 });
    const path = `/api/services/${ids.edgeId}/http/${Number(first.body['id'])}` as const;
    await admin(`PATCH ${path}`, { allowedIps: ['198.51.100.7'] });
    await admin(`PATCH ${path}/disable`);
    const again = await edge('POST /api/cli/expose/http', {
      name: 'web',
      pathLocation: '/web',
      backendPort: 9090,
      ttl: '1h',
    });
    expect(again).toMatchObject({
      status: 200,
      body: {
        id: first.body['id'],
        backendPort: 9090,
        enabled: true,
        allowedIps: ['198.51.100.7'],
        expiresAt: '2026-11-21T13:00:00.000Z',
      },
    });
  });

  it.each(['http', 'tcp'] as const)('at the same moment makes one %s service', async (kind) => {
    const body = { name: 'both', backendPort: 8080, ...(kind === 'http' && { pathLocation: '/both' }) };
    const replies = await Promise.all([1, 2, 3].map(() => edge(`POST /api/cli/expose/${kind}`, body)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(replies.map((reply) => reply.body['id'])).size).toBe(1);
  });

  it('keeps the public port of a TCP service', async () => {
    const first = await edge('POST /api/cli/expose/tcp', { name: 'ssh', backendPort: 22 });
    const again = await edge('POST /api/cli/expose/tcp', { name: 'ssh', backendPort: 2222 });
    expect(again.body).toMatchObject({ id: first.body['id'], port: first.body['port'], backendPort: 2222 });
    const other = await site('POST /api/cli/expose/tcp', { name: 'ssh', backendHost: '192.0.2.9', backendPort: 22 });
    expect(other.body['id']).not.toBe(first.body['id']);
  });

  it('is refused when no one can tell which one is meant', async () => {
    for (const backendPort of [22, 23]) {
      await admin(`POST /api/services/${ids.edgeId}/tcp`, { name: 'twin', backendPort });
    }
    const reply = await edge('POST /api/cli/expose/tcp', { name: 'twin', backendPort: 24 });
    expect(Object.keys(problemsIn(reply))).toEqual(['name']);
  });
});

describe('lists', () => {
  it('have the node’s own services, whatever the query says', async () => {
    for (const query of ['', `?nodeId=1`, `?nodeId=${ids.siteId}`]) {
      expect((await edge(`GET /api/cli/services/http${query}`)).body).toMatchObject([{ id: ids.wikiId }]);
      expect((await site(`GET /api/cli/services/http${query}`)).body).toEqual([]);
      expect((await edge(`GET /api/cli/services/tcp${query}`)).body).toEqual([]);
    }
    expect((await edge('GET /api/cli/services/http?limit=5')).body).toMatchObject({ total: 1, limit: 5 });
  });
});

describe('a service of the node', () => {
  it.each(['http', 'tcp'] as const)(
    'is closed, opened with or without a time to live, and changed: %s',
    async (kind) => {
      const made = await edge('POST /api/cli/expose/tcp', { name: 'ssh', backendPort: 22 });
      const id = kind === 'http' ? ids.wikiId : Number(made.body['id']);
      const path = `/api/cli/services/${kind}/${id}` as const;
      expect((await edge(`PATCH ${path}/disable`)).body).toMatchObject({ enabled: false });
      const short = await edge(`PATCH ${path}/enable`, { ttl: '30s' });
      expect(short.body).toMatchObject({ enabled: true, expiresAt: '2026-11-21T12:00:30.000Z' });
      expect((await edge(`PATCH ${path}/enable`)).body).toMatchObject({ enabled: true, expiresAt: null });
      expect((await edge(`PATCH ${path}`, { backendPort: 8090 })).body).toMatchObject({ backendPort: 8090 });
    },
  );
});

describe('regenerating', () => {
  it('makes new keys and one new token; all old ones are refused at once', async () => {
    const before = (await edge('GET /api/cli/wgconfig')).body;
    const another = await asNode(gateway, admin, ids.edgeId);
    const { status, body } = await edge('PATCH /api/cli/regenerate');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: ids.edgeId, name: 'edge' });
    expect(JSON.stringify(body)).not.toMatch(/v1:|Key"/);
    for (const old of [edge, another]) expect((await old('GET /api/cli/node')).status).toBe(401);
    const next = testApi(gateway, String(body['token']));
    const after = (await next('GET /api/cli/wgconfig')).body;
    expect(after['privateKey']).not.toBe(before['privateKey']);
    expect(after['peer']).not.toEqual(before['peer']);
    expect(await gateway.store.tokens.all({ nodeId: ids.edgeId })).toMatchObject([{ name: 'default' }]);
    expect((await site('GET /api/cli/node')).status).toBe(200);
  });

  it('gives a token that ends when the one that asked for it would have ended', async () => {
    const expireAt = '2026-11-21T12:00:10.000Z';
    const short = await asNode(gateway, admin, ids.edgeId, expireAt);
    const next = testApi(gateway, String((await short('PATCH /api/cli/regenerate')).body['token']));
    expect(await gateway.store.tokens.all({ nodeId: ids.edgeId })).toMatchObject([{ expireAt }]);
    expect((await next('GET /api/cli/node')).status).toBe(200);
    gateway.clock.advance(10_001);
    expect((await next('GET /api/cli/node')).status).toBe(401);
  });
});

describe('a token', () => {
  const tokensOf = async () =>
    (await admin(`GET /api/nodes/${ids.edgeId}/pats`)).body as unknown as { id: number; lastUsedAt: string | null }[];

  it('is good up to its very end, and a millisecond later it is not', async () => {
    const api = await asNode(gateway, admin, ids.edgeId, '2026-11-21T12:00:01.000Z');
    gateway.clock.advance(1000);
    expect((await api('GET /api/cli/node')).status).toBe(200);
    gateway.clock.advance(1);
    expect((await api('GET /api/cli/node')).status).toBe(401);
  });

  it('tells when it was last used, to the minute, and is not changed by that', async () => {
    await edge('GET /api/cli/node');
    const [first, used] = await tokensOf();
    expect(first).toMatchObject({ name: 'default', lastUsedAt: null });
    expect(used).toMatchObject({ lastUsedAt: '2026-11-21T12:00:00.000Z', version: 1 });
    gateway.clock.advance(59_000);
    await edge('GET /api/cli/node');
    expect((await tokensOf())[1]).toMatchObject({ lastUsedAt: '2026-11-21T12:00:00.000Z' });
    gateway.clock.advance(1000);
    await edge('GET /api/cli/node');
    expect((await tokensOf())[1]).toMatchObject({ lastUsedAt: '2026-11-21T12:01:00.000Z', version: 1 });
  });

  it('says whose it is', async () => {
    const { body } = await edge('GET /api/auth/me');
    expect(body).toEqual({ id: (await tokensOf())[1]?.id, type: 'client', name: 'ci' });
  });
});
