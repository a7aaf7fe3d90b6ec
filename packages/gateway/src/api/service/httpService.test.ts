import { describe, expect, it } from 'vitest';
import { problemsIn, seedEachTest, type SeededGateway } from '../../testing/testApi.ts';

let { gateway, admin, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin, ids } = seeded));

const LOCAL = '/api/services/1/http';
const SERVICE = { name: 'S', domain: 's.example.test', backendHost: '127.0.0.1', backendPort: 8081 };

/** What nginx would serve now. */
const served = (): string => (gateway.system.ingress.served()?.files ?? []).map(({ text }) => text).join('\n');

describe('an HTTP service', () => {
  it('starts at the root of its domain, with plain HTTP to its backend', async () => {
    const { body } = await admin(`POST ${LOCAL}`, SERVICE);
    expect(body).toMatchObject({ pathLocation: '/', backendProto: 'http', publicAccess: 'https://s.example.test/' });
    expect((await admin(`POST ${LOCAL}`, { ...SERVICE, pathLocation: '/x', skipAuthRoutes: '' })).status).toBe(200);
  });

  it.each([
    ['neither domain nor path', { domain: '' }, ['domain']],
    ['sign-in without a domain that has it', { requireAuth: true }, ['requireAuth']],
    ['a path that is taken', { domain: 'app.example.test' }, ['domain', 'pathLocation']],
  ])('refuses %s, next to the field', async (_, change, fields) => {
    const reply = await admin(`POST ${LOCAL}`, { ...SERVICE, ...change });
    expect([reply.status, Object.keys(problemsIn(reply))]).toEqual([422, fields]);
    expect(await gateway.store.httpServices.all({ name: 'S' })).toEqual([]);
  });

  it('cannot lose both its domain and its path', async () => {
    const reply = await admin(`PATCH ${LOCAL}/${ids.appId}`, { domain: '', pathLocation: '' });
    expect(Object.keys(problemsIn(reply))).toEqual(['domain']);
  });

  it('takes a path with a last slash for the same path, with a domain and without', async () => {
    const taken = 'Record already exists with the same value in domain, pathLocation';
    for (const domain of ['s.example.test', null]) {
      expect((await admin(`POST ${LOCAL}`, { ...SERVICE, domain, pathLocation: '/a' })).status).toBe(200);
      const reply = await admin(`POST ${LOCAL}`, { ...SERVICE, domain, pathLocation: '/a/' });
      expect(reply.status).toBe(422);
      expect(problemsIn(reply)).toEqual({ domain: taken, pathLocation: taken });
    }
    const [row] = await gateway.store.httpServices.all({ pathLocation: '/a' });
    expect((await admin(`PATCH ${LOCAL}/${row?.id ?? 0}`, { pathLocation: '/a/' })).status).toBe(200);
    expect((await admin(`POST ${LOCAL}`, { ...SERVICE, pathLocation: '/a/b' })).status).toBe(200);
  });

  it('saves what cannot be served yet, and says why', async () => {
    const reply = await admin(`POST ${LOCAL}`, { ...SERVICE, backendHost: 'printer.lan' });
    expect(reply.status).toBe(200);
    expect(String(reply.body['problem'])).toContain('printer.lan');
  });
});

describe('paths without sign-in', () => {
  it.each([
    ['^/(?=a)', /^The pattern \^\/\(\?=a\) cannot be used: .* Lookaround, back references/],
    ['/fine\n^(', /^The pattern \^\( cannot be used: missing closing \)/],
    [`^/${'(.*a)'.repeat(200)}`, /too complicated/],
  ])(
    'refuses a pattern that cannot be matched safely before anything is written (%#)',
    async (skipAuthRoutes, reason) => {
      const reply = await admin(`POST ${LOCAL}`, { ...SERVICE, skipAuthRoutes });
      expect(reply.status).toBe(422);
      expect(problemsIn(reply)).toEqual({ skipAuthRoutes: expect.stringMatching(reason) });
      expect(await gateway.store.httpServices.all({ name: 'S' })).toEqual([]);
      const kept = await admin(`PATCH ${LOCAL}/${ids.appId}`, { skipAuthRoutes });
      expect(problemsIn(kept)).toEqual({ skipAuthRoutes: expect.stringMatching(reason) });
    },
  );

  it('takes a pattern on which other engines go back without end', async () => {
    gateway.world.setSignIn({ available: true });
    const domain = { domain: 's.example.test', skipValidation: true, authentication: true };
    expect((await admin('POST /api/domains', domain)).status).toBe(200);
    // They would take 2 ** 60 steps.
    const hostile = { requireAuth: true, skipAuthRoutes: '^/(a+)+$', pathLocation: `/${'a'.repeat(60)}-` };
    expect(await admin(`POST ${LOCAL}`, { ...SERVICE, ...hostile })).toMatchObject({
      status: 200,
      body: { problem: null },
    });
  });

  it('leaves a service whose stored pattern cannot be used guarded, and says so', async () => {
    gateway.world.setSignIn({ available: true });
    await admin(`PATCH /api/domains/${ids.domainId}`, { authentication: true });
    await gateway.store.write((tx) =>
      tx.httpServices.update(ids.appId, { requireAuth: true, skipAuthRoutes: '/open\n^/(?!admin)' }),
    );
    const { status, body } = await admin(`PATCH ${LOCAL}/${ids.appId}`, { name: 'Renamed' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Renamed',
      problem: expect.stringMatching(/\^\/\(\?!admin\) cannot be used: .* visitors must sign in there, too\.$/),
    });
    expect(served()).toContain('location = "/open"');
    expect(served()).not.toContain('?!admin');
  });
});

describe('the console’s own service', () => {
  const CONSOLE = `${LOCAL}/1` as const;

  it.each([
    ['name', 'Mine'],
    ['pathLocation', '/console'],
    ['backendProto', 'https'],
    ['backendHost', '192.0.2.1'],
    ['backendPort', 1],
  ])('keeps its %s', async (field, value) => {
    const reply = await admin(`PATCH ${CONSOLE}`, { [field]: value });
    expect(reply.status).toBe(422);
    expect(Object.keys(problemsIn(reply))).toEqual([field]);
  });

  it.each([
    ['requireAuth', true],
    ['skipAuthRoutes', '/open'],
  ])(
    'keeps its %s also where its domain has a sign-in, which could lock the administrator out',
    async (field, value) => {
      gateway.world.setSignIn({ available: true });
      const domain = 'admin.example.test';
      await admin('POST /api/domains', { domain, skipValidation: true, authentication: true });
      expect((await admin(`PATCH ${CONSOLE}`, { domain })).status).toBe(200);
      const reply = await admin(`PATCH ${CONSOLE}`, { [field]: value });
      expect(Object.keys(problemsIn(reply))).toEqual([field]);
    },
  );

  it('may be given a domain and be limited to addresses, also by a form that sends all fields', async () => {
    const { body } = await admin(`GET ${CONSOLE}`);
    const { name, pathLocation, backendProto, backendHost, backendPort, requireAuth, skipAuthRoutes } = body;
    const form = { name, pathLocation, backendProto, backendHost, backendPort, requireAuth, skipAuthRoutes };
    const reply = await admin(`PATCH ${CONSOLE}`, {
      ...form,
      domain: 'admin.example.test',
      allowedIps: ['192.0.2.0/24'],
    });
    expect(reply).toMatchObject({ status: 200, body: { publicAccess: 'https://admin.example.test/' } });
  });

  it('can be neither closed nor deleted', async () => {
    expect((await admin(`PATCH ${CONSOLE}/disable`)).status).toBe(400);
    expect((await admin(`DELETE ${CONSOLE}`)).status).toBe(400);
    expect(problemsIn(await admin(`PATCH ${CONSOLE}`, { ttl: '1m' }))).toHaveProperty('ttl');
  });

  it('outlives its domain', async () => {
    await admin(`PATCH ${CONSOLE}`, { domain: 'admin.example.test' });
    const { body } = await admin('GET /api/domains?limit=1&search=admin');
    const [{ id }] = body['data'] as [{ id: number }];
    expect((await admin(`DELETE /api/domains/${id}`)).status).toBe(200);
    expect((await admin(`GET ${CONSOLE}`)).body).toMatchObject({
      domain: null,
      publicAccess: 'https://vpn.example.test:9443/',
    });
  });
});
