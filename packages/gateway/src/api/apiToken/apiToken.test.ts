import { beforeEach, describe, expect, it } from 'vitest';
import { seedEachTest, type SeededGateway, type TestApi, testApi, problemsIn } from '../../testing/testApi.ts';

let { gateway, admin, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin, ids } = seeded));

const HOUR_MS = 3_600_000;

async function make(scope: string[], more: object = {}): Promise<{ id: number; secret: string; api: TestApi }> {
  const { status, body } = await admin('POST /api/tokens', { name: 'ci', scope, ...more });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const secret = String(body['token']);
  return { id: Number(body['id']), secret, api: testApi(gateway, secret) };
}

describe('an API token', () => {
  it('is shown once, stored as a hash, and recognised by its beginning', async () => {
    const { id, secret, api } = await make(['nodes:read']);
    expect(secret).toMatch(/^spa_[\w-]{43}$/);
    const [row] = await gateway.store.apiTokens.all({ id });
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(row?.prefix).toBe(secret.slice(0, 8));
    const { body } = await admin('GET /api/tokens');
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(JSON.stringify(body)).not.toContain('tokenHash');
    expect((await api('GET /api/nodes')).status).toBe(200);
  });

  it('says whose it is, and what it may do', async () => {
    const { id, api } = await make(['services:write', 'logs:read'], { nodes: [ids.edgeId] });
    const { body } = await api('GET /api/auth/me');
    expect(body).toEqual({
      id,
      type: 'api',
      name: 'ci',
      scope: ['services:write', 'logs:read'],
      nodes: [ids.edgeId],
    });
  });

  it('notes when it was last used', async () => {
    const { api } = await make(['nodes:read']);
    const lastUse = async () => ((await admin('GET /api/tokens')).body as unknown as [{ lastUsedAt: string }])[0];
    expect((await lastUse()).lastUsedAt).toBeNull();
    await api('GET /api/nodes');
    expect((await lastUse()).lastUsedAt).toBe(gateway.clock.now().toISOString());
  });

  it('is refused from its end on', async () => {
    const expireAt = new Date(gateway.clock.now().getTime() + HOUR_MS).toISOString();
    const { api } = await make(['nodes:read'], { expireAt });
    expect((await api('GET /api/nodes')).status).toBe(200);
    gateway.clock.advance(HOUR_MS + 1000);
    expect((await api('GET /api/nodes')).status).toBe(401);
  });

  it('is refused once it is deleted', async () => {
    const { id, api } = await make(['nodes:read']);
    expect((await admin(`DELETE /api/tokens/${id}`)).status).toBe(200);
    expect((await api('GET /api/nodes')).status).toBe(401);
    expect((await admin(`DELETE /api/tokens/${id}`)).status).toBe(404);
  });

  it.each([
    ['without a right', { scope: [] }, 'scope'],
    ['with one that there is not', { scope: ['nodes:delete'] }, 'scope.0'],
    ['for no node', { scope: ['nodes:read'], nodes: [] }, 'nodes'],
    ['for a node that there is not', { scope: ['nodes:read'], nodes: [987] }, 'nodes.0'],
    ['for some nodes and all domains', { scope: ['domains:read'], nodes: [1] }, 'scope'],
    ['that has ended', { scope: ['nodes:read'], expireAt: '2020-01-01' }, 'expireAt'],
  ])('is not made %s', async (_, input, field) => {
    const reply = await admin('POST /api/tokens', { name: 'ci', ...input });
    expect(reply.status).toBe(422);
    expect(Object.keys(problemsIn(reply))).toContain(field);
  });

  it('allows nothing once its row is damaged', async () => {
    const { id, api } = await make(['nodes:read', 'services:read'], { nodes: [ids.edgeId] });
    await gateway.store.write((tx) => tx.apiTokens.update(id, { scope: 'nodes:read' as never }));
    expect((await api('GET /api/nodes')).status).toBe(403);
    await gateway.store.write((tx) => tx.apiTokens.update(id, { scope: ['nodes:read'], nodes: 'all' as never }));
    expect((await api('GET /api/nodes')).body).toEqual([]);
  });
});

describe('the streams of an API token', () => {
  /** Fulfilled when the stream has ended. */
  async function opened(secret: string): Promise<{ status: number; ended: Promise<void> }> {
    const response = await gateway.fetch('/api/nodes/stream', { headers: { authorization: `Bearer ${secret}` } });
    const ended = response.text().then(
      () => undefined,
      () => undefined,
    );
    return { status: response.status, ended };
  }

  it('end when it is deleted', async () => {
    const { id, secret } = await make(['nodes:read']);
    const { status, ended } = await opened(secret);
    expect(status).toBe(200);
    await admin(`DELETE /api/tokens/${id}`);
    await ended;
    expect(gateway.watchers()).toBe(0);
  });

  it('end when its time is over', async () => {
    const expireAt = new Date(gateway.clock.now().getTime() + HOUR_MS).toISOString();
    const { secret } = await make(['nodes:read'], { expireAt });
    const { ended } = await opened(secret);
    gateway.clock.advance(HOUR_MS + 1000);
    await ended;
    expect(gateway.watchers()).toBe(0);
  });

  it('are not shared with those of a token that may see more', async () => {
    const first = await gateway.fetch('/api/nodes/stream', {
      headers: { authorization: `Bearer ${(await make(['nodes:read'])).secret}` },
    });
    const limited = await make(['nodes:read'], { nodes: [ids.edgeId] });
    const second = await gateway.fetch('/api/nodes/stream', { headers: { authorization: `Bearer ${limited.secret}` } });
    const textOf = async (response: Response) => {
      const reader = response.body?.getReader();
      const { value } = (await reader?.read()) ?? {};
      return { text: new TextDecoder().decode(value), end: () => reader?.cancel() };
    };
    const [all, some] = [await textOf(first), await textOf(second)];
    expect(all.text).toContain('"site"');
    expect(some.text).toContain('"edge"');
    expect(some.text).not.toContain('"site"');
    await Promise.all([all.end(), some.end()]);
  });
});

describe('what one right brings along', () => {
  it('is not a domain that a service names first', async () => {
    const { api } = await make(['services:write']);
    const service = { name: 'shop', domain: 'shop.example.test' };
    expect((await api(`POST /api/services/${ids.edgeId}/http`, service)).status).toBe(403);
    const both = await make(['services:write', 'domains:write']);
    expect((await both.api(`POST /api/services/${ids.edgeId}/http`, service)).status).toBe(200);
  });

  it('is not the services of a domain', async () => {
    const { api } = await make(['domains:write']);
    expect((await api(`PATCH /api/domains/${ids.domainId}`, { publish: true })).status).toBe(403);
    expect((await api(`DELETE /api/domains/${ids.domainId}`)).status).toBe(403);
    expect((await api(`PATCH /api/domains/${ids.domainId}`, { ssl: 'self-signed' })).status).toBe(200);
  });

  it('is no secret of a node', async () => {
    const { api } = await make(['nodes:write', 'tokens:read']);
    expect((await api(`GET /api/nodes/${ids.edgeId}/config`)).status).toBe(403);
    expect((await api('POST /api/nodes', { name: 'new' })).status).toBe(403);
    expect((await api(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'new' })).status).toBe(403);
    expect((await api(`GET /api/nodes/${ids.edgeId}/pats`)).status).toBe(200);
  });

  it('is never the console', async () => {
    const { api } = await make(['services:write', 'domains:write']);
    const [builtin] = await gateway.store.httpServices.all({ builtin: true });
    const console_ = `/api/services/1/http/${Number(builtin?.id)}` as const;
    expect((await api(`PATCH ${console_}`, { domain: 'evil.example.test' })).status).toBe(400);
    await admin(`PATCH ${console_}`, { domain: 'console.example.test' });
    const [domain] = await gateway.store.domains.all({ domain: 'console.example.test' });
    const its = `/api/domains/${Number(domain?.id)}` as const;
    expect((await api(`DELETE ${its}`)).status).toBe(400);
    // Its certificate, and who may come in, are the console's.
    for (const change of [{ ssl: 'self-signed', skipValidation: true }, { authentication: true }, { hsts: false }]) {
      expect((await api(`PATCH ${its}`, change)).status).toBe(400);
    }
    expect((await api(`PATCH ${its}`, { notes: 'ours' })).status).toBe(200);
    expect(await gateway.store.httpServices.all({ builtin: true })).toMatchObject([{ domain: 'console.example.test' }]);
  });
});

describe('an API token for some nodes', () => {
  let api: TestApi;
  beforeEach(async () => {
    ({ api } = await make(['nodes:write', 'services:write', 'tokens:write'], { nodes: [ids.edgeId] }));
  });

  it('sees and changes those', async () => {
    expect((await api('GET /api/nodes')).body).toMatchObject([{ name: 'edge' }]);
    expect((await api(`PATCH /api/nodes/${ids.edgeId}`, { name: 'renamed' })).body).toMatchObject({ name: 'renamed' });
    expect((await api('GET /api/services/http')).body).toMatchObject([{ name: 'Wiki' }]);
    expect((await api(`POST /api/services/${ids.edgeId}/http`, { name: 'b', pathLocation: '/b' })).status).toBe(200);
  });

  it('does not find the others, and makes none', async () => {
    expect((await api(`GET /api/nodes/${ids.siteId}`)).status).toBe(404);
    expect((await api(`DELETE /api/nodes/${ids.siteId}`)).status).toBe(404);
    expect((await api(`GET /api/services/1/http/${ids.appId}`)).status).toBe(404);
    expect((await api('POST /api/nodes', { name: 'new' })).status).toBe(403);
    expect((await api(`GET /api/nodes?limit=10`)).body).toMatchObject({ total: 1 });
  });
});
