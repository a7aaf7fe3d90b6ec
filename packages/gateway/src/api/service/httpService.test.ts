import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { problemsIn, type TestApi, testApi } from '../../testing/testApi.ts';

let gateway: TestGateway;
let api: TestApi;
let ids: Awaited<ReturnType<TestGateway['seed']>>;

beforeEach(async () => {
  gateway = await createTestGateway();
  ids = await gateway.seed();
  api = testApi(gateway, await gateway.signIn());
});
afterEach(() => gateway.stop());

const LOCAL = '/api/services/1/http';
const SERVICE = { name: 'S', domain: 's.example.test', backendHost: '127.0.0.1', backendPort: 8081 };

/** What nginx would serve now. */
const served = (): string => (gateway.system.ingress.served()?.files ?? []).map(({ text }) => text).join('\n');

describe('exposing', () => {
  it('answers when visitors can reach it, with the public address', async () => {
    const { status, body } = await api(`POST ${LOCAL}`, SERVICE);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...SERVICE,
      nodeId: 1,
      enabled: true,
      pathLocation: '/',
      backendProto: 'http',
      publicAccess: 'https://s.example.test/',
      problem: null,
      domainCreated: true,
    });
    expect(served()).toContain('127.0.0.1:8081');
    expect(await api(`GET ${LOCAL}/${String(body['id'])}`)).toMatchObject({ body: { name: 'S', version: 1 } });
  });

  it('makes a domain that nobody knows, self-signed and not validated', async () => {
    await api(`POST ${LOCAL}`, SERVICE);
    const { body } = await api('GET /api/domains?limit=10&search=s.example');
    expect(body['data']).toMatchObject([{ domain: 's.example.test', ssl: 'self-signed', skipValidation: true }]);
    const again = await api(`POST ${LOCAL}`, { ...SERVICE, pathLocation: '/two' });
    expect(again.body['domainCreated']).toBe(false);
  });

  it.each([
    ['^/(?=a)', /^The pattern \^\/\(\?=a\) cannot be used: .* Lookaround, back references/],
    ['/fine\n^(', /^The pattern \^\( cannot be used: missing closing \)/],
    [`^/${'(.*a)'.repeat(200)}`, /too complicated/],
  ])(
    'refuses a pattern that cannot be matched safely before anything is written (%#)',
    async (skipAuthRoutes, reason) => {
      const reply = await api(`POST ${LOCAL}`, { ...SERVICE, skipAuthRoutes });
      expect(reply.status).toBe(422);
      expect(problemsIn(reply)).toEqual({ skipAuthRoutes: expect.stringMatching(reason) });
      expect(await gateway.store.httpServices.all({ name: 'S' })).toEqual([]);
      const kept = await api(`PATCH ${LOCAL}/${ids.appId}`, { skipAuthRoutes });
      expect(problemsIn(kept)).toEqual({ skipAuthRoutes: expect.stringMatching(reason) });
    },
  );

  it('takes a pattern on which other engines go back without end', async () => {
    gateway.world.setSignIn({ available: true });
    const domain = { domain: 's.example.test', skipValidation: true, authentication: true };
    expect((await api('POST /api/domains', domain)).status).toBe(200);
    // They would take 2 ** 60 steps.
    const hostile = { requireAuth: true, skipAuthRoutes: '^/(a+)+$', pathLocation: `/${'a'.repeat(60)}-` };
    expect(await api(`POST ${LOCAL}`, { ...SERVICE, ...hostile })).toMatchObject({
      status: 200,
      body: { problem: null },
    });
  });

  it('leaves a service whose stored pattern cannot be used guarded, and says so', async () => {
    gateway.world.setSignIn({ available: true });
    await api(`PATCH /api/domains/${ids.domainId}`, { authentication: true });
    await gateway.store.write((tx) =>
      tx.httpServices.update(ids.appId, { requireAuth: true, skipAuthRoutes: '/open\n^/(?!admin)' }),
    );
    const { status, body } = await api(`PATCH ${LOCAL}/${ids.appId}`, { name: 'Renamed' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Renamed',
      problem: expect.stringMatching(/\^\/\(\?!admin\) cannot be used: .* visitors must sign in there, too\.$/),
    });
    expect(served()).toContain('location = "/open"');
    expect(served()).not.toContain('?!admin');
  });

  it('takes "" for nothing', async () => {
    const { status, body } = await api(`POST ${LOCAL}`, {
      ...SERVICE,
      domain: '',
      pathLocation: '/x',
      ttl: '',
      skipAuthRoutes: '',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ domain: null, expiresAt: null, publicAccess: 'https://vpn.example.test/x' });
  });

  it.each([
    [
      'neither domain nor path',
      { domain: '' },
      { domain: '"value" must contain at least one of [domain, pathLocation]' },
    ],
    ['no backend host on the local node', { backendHost: null }, { backendHost: 'This field is required' }],
    [
      'sign-in without a domain that has it',
      { requireAuth: true },
      { requireAuth: 'Authentication is not enabled for this domain' },
    ],
    [
      'a path that is taken',
      { domain: 'app.example.test' },
      {
        domain: 'Record already exists with the same value in domain, pathLocation',
        pathLocation: 'Record already exists with the same value in domain, pathLocation',
      },
    ],
    [
      'a time to live beyond all calendars',
      { ttl: '999999999d' },
      { ttl: 'TTL must be a string like "30s", "10m", "2h", "1d"' },
    ],
    [
      'several things at once',
      { name: '', backendPort: 0 },
      {
        name: 'This field is not allowed to be empty',
        backendPort: '"backendPort" must be a valid port',
      },
    ],
  ])('refuses %s, next to the field, and changes nothing', async (_, change, problems) => {
    const before = await gateway.store.desired();
    const reply = await api(`POST ${LOCAL}`, { ...SERVICE, ...change });
    expect(reply.status).toBe(422);
    expect(problemsIn(reply)).toEqual(problems);
    expect(await gateway.store.desired()).toEqual(before);
  });

  it('takes a path with a last slash for the same path, with a domain and without', async () => {
    const taken = 'Record already exists with the same value in domain, pathLocation';
    for (const domain of ['s.example.test', null]) {
      expect((await api(`POST ${LOCAL}`, { ...SERVICE, domain, pathLocation: '/a' })).status).toBe(200);
      const reply = await api(`POST ${LOCAL}`, { ...SERVICE, domain, pathLocation: '/a/' });
      expect(reply.status).toBe(422);
      expect(problemsIn(reply)).toEqual({ domain: taken, pathLocation: taken });
    }
    const [row] = await gateway.store.httpServices.all({ pathLocation: '/a' });
    expect((await api(`PATCH ${LOCAL}/${row?.id ?? 0}`, { pathLocation: '/a/' })).status).toBe(200);
    expect((await api(`POST ${LOCAL}`, { ...SERVICE, pathLocation: '/a/b' })).status).toBe(200);
  });

  it('needs no backend host on a plain node, and takes none', async () => {
    const there = `/api/services/${ids.edgeId}/http` as const;
    expect((await api(`POST ${there}`, { name: 'ok', pathLocation: '/ok' })).status).toBe(200);
    const reply = await api(`POST ${there}`, { name: 'no', pathLocation: '/no', backendHost: '192.0.2.1' });
    expect(Object.keys(problemsIn(reply))).toEqual(['backendHost']);
    const gate = await api(`POST /api/services/${ids.siteId}/http`, { name: 'no', pathLocation: '/no' });
    expect(Object.keys(problemsIn(gate))).toEqual(['backendHost']);
  });

  it('answers 400 with nginx’s reason when nginx refuses it, and everything is as before', async () => {
    const before = await gateway.store.desired();
    const files = gateway.system.ingress.served()?.files;
    gateway.system.ingress.rejectWhen((all) => {
      const file = all.find(({ text }) => text.includes('127.0.0.1:8081'));
      if (file === undefined) return null;
      const line = file.text.split('\n').findIndex((text) => text.includes('127.0.0.1:8081')) + 1;
      return { message: 'invalid something', file: file.path, line };
    });
    const reply = await api(`POST ${LOCAL}`, SERVICE);
    expect(reply.status).toBe(400);
    expect(String(reply.body['message'])).toContain('invalid something');
    expect(await gateway.store.desired()).toEqual(before);
    expect(gateway.system.ingress.served()?.files.map(({ path }) => path)).toEqual(files?.map(({ path }) => path));
  });

  it('saves what cannot be served yet, and says why', async () => {
    const reply = await api(`POST ${LOCAL}`, { ...SERVICE, backendHost: 'printer.lan' });
    expect(reply.status).toBe(200);
    expect(String(reply.body['problem'])).toContain('printer.lan');
  });
});

describe('changing', () => {
  it('leaves what is not given, and counts the version', async () => {
    const { status, body } = await api(`PATCH ${LOCAL}/${ids.appId}`, { name: 'New' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'New',
      domain: 'app.example.test',
      backendPort: 8080,
      version: 2,
      domainCreated: false,
    });
  });

  it('is checked as a whole', async () => {
    const reply = await api(`PATCH ${LOCAL}/${ids.appId}`, { backendHost: '' });
    expect(problemsIn(reply)).toEqual({ backendHost: 'This field is required' });
    const both = await api(`PATCH ${LOCAL}/${ids.appId}`, { domain: '', pathLocation: '' });
    expect(Object.keys(problemsIn(both))).toEqual(['domain']);
  });

  it('refuses a stale version, and a body for another service', async () => {
    await api(`PATCH ${LOCAL}/${ids.appId}`, { name: 'New' });
    expect(await api(`PATCH ${LOCAL}/${ids.appId}`, { name: 'Old' }, { 'if-match': '"1"' })).toMatchObject({
      status: 412,
    });
    expect(await api(`PATCH ${LOCAL}/${ids.appId}`, { name: 'Newer' }, { 'if-match': '"2"' })).toMatchObject({
      status: 200,
    });
    expect(await api(`DELETE ${LOCAL}/${ids.appId}`, undefined, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
    expect(problemsIn(await api(`PATCH ${LOCAL}/${ids.appId}`, { id: ids.wikiId }))).toHaveProperty('id');
    expect(await api(`PATCH ${LOCAL}/${ids.appId}`, { name: 'x' }, { 'if-match': 'yesterday' })).toMatchObject({
      status: 400,
    });
  });

  it('opens and closes it', async () => {
    await api(`PATCH ${LOCAL}/${ids.appId}`, { ttl: '10m' });
    expect((await api(`PATCH ${LOCAL}/${ids.appId}/disable`)).body).toMatchObject({ enabled: false, expiresAt: null });
    expect(served()).not.toContain('127.0.0.1:8080');
    expect((await api(`PATCH ${LOCAL}/${ids.appId}/enable`)).body).toMatchObject({ enabled: true });
    expect(served()).toContain('127.0.0.1:8080');
  });

  it('removes it for good', async () => {
    expect((await api(`DELETE ${LOCAL}/${ids.appId}`)).body).toBe('Deleted!');
    expect(served()).not.toContain('127.0.0.1:8080');
    expect(await api(`GET ${LOCAL}/${ids.appId}`)).toMatchObject({
      status: 404,
      body: { message: 'Service not found' },
    });
  });
});

describe('a time to live', () => {
  it('closes the service at its second, and not before', async () => {
    const { body } = await api(`PATCH ${LOCAL}/${ids.appId}`, { ttl: '10m' });
    expect(body['expiresAt']).toBe('2026-11-21T12:10:00.000Z');
    gateway.clock.advance(599_000);
    expect((await api(`GET ${LOCAL}/${ids.appId}`)).body['enabled']).toBe(true);
    const closed = new Promise((resolve) => gateway.store.onChange(resolve));
    gateway.clock.advance(1000);
    await closed;
    expect((await api(`GET ${LOCAL}/${ids.appId}`)).body).toMatchObject({ enabled: false, expiresAt: null });
  });

  it('can be taken back by enabling it', async () => {
    await api(`PATCH ${LOCAL}/${ids.appId}`, { ttl: '1m' });
    expect((await api(`PATCH ${LOCAL}/${ids.appId}/enable`)).body['expiresAt']).toBeNull();
    gateway.clock.advance(120_000);
    expect((await api(`PATCH ${LOCAL}/${ids.wikiId}`, {})).status).toBe(404);
    expect((await api(`GET ${LOCAL}/${ids.appId}`)).body['enabled']).toBe(true);
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
    const reply = await api(`PATCH ${CONSOLE}`, { [field]: value });
    expect(reply.status).toBe(422);
    expect(Object.keys(problemsIn(reply))).toEqual([field]);
  });

  it('may be given a domain and be limited to addresses, also by a form that sends all fields', async () => {
    const { body } = await api(`GET ${CONSOLE}`);
    const { name, pathLocation, backendProto, backendHost, backendPort, requireAuth, skipAuthRoutes } = body;
    const form = { name, pathLocation, backendProto, backendHost, backendPort, requireAuth, skipAuthRoutes };
    const reply = await api(`PATCH ${CONSOLE}`, {
      ...form,
      domain: 'admin.example.test',
      allowedIps: ['192.0.2.0/24'],
    });
    expect(reply).toMatchObject({ status: 200, body: { publicAccess: 'https://admin.example.test/' } });
  });

  it('shares its domain with no service, no matter who came first', async () => {
    const taken = await api(`PATCH ${CONSOLE}`, { domain: 'app.example.test' });
    expect(Object.keys(problemsIn(taken))).toEqual(['domain']);
    await api(`PATCH ${CONSOLE}`, { domain: 'admin.example.test' });
    const guest = await api(`POST ${LOCAL}`, { ...SERVICE, domain: 'admin.example.test', pathLocation: '/guest' });
    expect(Object.keys(problemsIn(guest))).toEqual(['domain']);
  });

  it('can be neither closed nor deleted', async () => {
    expect((await api(`PATCH ${CONSOLE}/disable`)).status).toBe(400);
    expect((await api(`DELETE ${CONSOLE}`)).status).toBe(400);
    expect(problemsIn(await api(`PATCH ${CONSOLE}`, { ttl: '1m' }))).toHaveProperty('ttl');
  });

  it('outlives its domain', async () => {
    await api(`PATCH ${CONSOLE}`, { domain: 'admin.example.test' });
    const { body } = await api('GET /api/domains?limit=1&search=admin');
    const [{ id }] = body['data'] as [{ id: number }];
    expect((await api(`DELETE /api/domains/${id}`)).status).toBe(200);
    expect((await api(`GET ${CONSOLE}`)).body).toMatchObject({
      domain: null,
      publicAccess: 'https://vpn.example.test:9443/',
    });
  });
});

describe('lists', () => {
  it('are pages with a limit, and all rows without', async () => {
    expect((await api('GET /api/services/http?limit=2&page=2')).body).toMatchObject({ page: 2, limit: 2, total: 3 });
    expect((await api('GET /api/services/http')).body).toHaveLength(3);
    expect((await api(`GET ${LOCAL}`)).body).toHaveLength(2);
  });

  it('can be narrowed by node and domain at once', async () => {
    expect((await api(`GET /api/services/http?nodeId=1&domain=app.example.test`)).body).toHaveLength(1);
    expect((await api(`GET /api/services/http?nodeId=${ids.edgeId}&domain=app.example.test`)).body).toEqual([]);
    expect((await api(`GET ${LOCAL}?domain=APP.example.test`)).body).toHaveLength(1);
  });
});
