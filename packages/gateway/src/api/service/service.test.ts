import { describe, expect, it } from 'vitest';
import { asNode, problemsIn, seedEachTest, type SeededGateway, type TestApi } from '../../testing/testApi.ts';
import { refuses } from '../../testing/fakeIngress.ts';
import { domainUrl } from './publicAddress.ts';

// What HTTP and TCP services do alike.

let { gateway, admin, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin, ids } = seeded));

/** What nginx would serve now. */
const served = (): string => (gateway.system.ingress.served()?.files ?? []).map(({ text }) => text).join('\n');

describe.each([
  { type: 'http', own: { pathLocation: '/s' }, url: 'https://s.example.test/s', bare: 'https://vpn.example.test/s' },
  { type: 'tcp', own: { port: 20_010 }, url: 'tcp://s.example.test:20010', bare: 'tcp://vpn.example.test:20010' },
] as const)('services of type $type', ({ type, own, url, bare }) => {
  const body = { name: 'S', domain: 's.example.test', backendHost: '127.0.0.1', backendPort: 8081, ...own };
  const place = (nodeId = 1) => `/api/services/${nodeId}/${type}` as const;
  const create = (change: object = {}) => admin(`POST ${place()}`, { ...body, ...change });
  const created = async (change: object = {}) => {
    const reply = await create(change);
    expect(reply.status).toBe(200);
    return `${place()}/${String(reply.body['id'])}` as const;
  };

  it('are answered when visitors can reach them, and so is a domain that was unknown', async () => {
    const reply = await create();
    expect(reply.body).toMatchObject({
      ...body,
      nodeId: 1,
      enabled: true,
      closedAt: null,
      publicAccess: url,
      problem: null,
      version: 1,
      domainCreated: true,
    });
    expect(served()).toContain('127.0.0.1:8081');
    expect((await admin(`GET ${place()}/${String(reply.body['id'])}`)).body).toMatchObject(body);
    const { body: domains } = await admin('GET /api/domains?limit=10&search=s.example');
    expect(domains['data']).toMatchObject([{ domain: 's.example.test', ssl: 'self-signed', skipValidation: true }]);
    const second = type === 'http' ? { pathLocation: '/two' } : { port: 20_011 };
    expect((await create(second)).body['domainCreated']).toBe(false);
  });

  it('take "" for nothing, and have the gateway’s own name without a domain', async () => {
    expect((await create({ domain: '', ttl: '' })).body).toMatchObject({
      domain: null,
      expiresAt: null,
      publicAccess: bare,
    });
  });

  it.each([
    ['no backend host on the local node', { backendHost: null }, ['backendHost']],
    ['no backend port', { backendPort: 0 }, ['backendPort']],
    ['a time to live beyond all calendars', { ttl: '999999999d' }, ['ttl']],
    ['several things at once', { name: '', backendPort: 70_000 }, ['backendPort', 'name']],
  ])('refuse %s next to the field, and change nothing', async (_, change, fields) => {
    const before = await gateway.store.desired();
    const reply = await create(change);
    expect([reply.status, Object.keys(problemsIn(reply)).toSorted()]).toEqual([422, fields]);
    expect(await gateway.store.desired()).toEqual(before);
  });

  it('need no backend host on a plain node and take none, and need one behind a gateway', async () => {
    const fieldsOf = async (nodeId: number, backendHost: string | null) =>
      Object.keys(problemsIn(await admin(`POST ${place(nodeId)}`, { ...body, backendHost })));
    expect(await fieldsOf(ids.edgeId, '192.0.2.1')).toEqual(['backendHost']);
    expect(await fieldsOf(ids.siteId, null)).toEqual(['backendHost']);
    expect(await fieldsOf(ids.edgeId, null)).toEqual([]);
  });

  it('are as before when nginx refuses a change, whose reason is answered', async () => {
    const before = await gateway.store.desired();
    const paths = () => gateway.system.ingress.served()?.files.map((file) => file.path);
    const filesBefore = paths();
    gateway.system.ingress.rejectWhen(refuses('127.0.0.1:8081'));
    const reply = await create();
    expect([reply.status, reply.body['message']]).toEqual([400, expect.stringContaining('127.0.0.1:8081')]);
    expect(await gateway.store.desired()).toEqual(before);
    expect(paths()).toEqual(filesBefore);
  });

  it('keep what a change does not give, and are checked as a whole', async () => {
    const path = await created();
    expect(await admin(`PATCH ${path}`, { name: 'New' })).toMatchObject({
      status: 200,
      body: { ...body, name: 'New', version: 2, domainCreated: false },
    });
    expect(Object.keys(problemsIn(await admin(`PATCH ${path}`, { backendHost: '' })))).toEqual(['backendHost']);
    expect(Object.keys(problemsIn(await admin(`PATCH ${path}`, { id: 4711 })))).toEqual(['id']);
    expect((await admin(`PATCH ${path}`, { name: 'x' }, { 'if-match': 'yesterday' })).status).toBe(400);
  });

  it('are closed, opened and removed', async () => {
    const path = await created({ ttl: '10m' });
    expect((await admin(`PATCH ${path}/disable`)).body).toMatchObject({ enabled: false, expiresAt: null });
    expect(served()).not.toContain('127.0.0.1:8081');
    expect((await admin(`PATCH ${path}/enable`)).body).toMatchObject({ enabled: true });
    expect(served()).toContain('127.0.0.1:8081');
    expect((await admin(`DELETE ${path}`)).body).toBe('Deleted!');
    expect(served()).not.toContain('127.0.0.1:8081');
    expect(await admin(`GET ${path}`)).toMatchObject({ status: 404, body: { message: 'Service not found' } });
  });

  it('close at the second at which their time to live ends, unless they are opened again before', async () => {
    const [short, kept] = [
      await created({ ttl: '10m' }),
      await created({ ttl: '10m', ...(type === 'http' ? { pathLocation: '/kept' } : { port: 20_011 }) }),
    ];
    expect((await admin(`GET ${short}`)).body['expiresAt']).toBe('2026-11-21T12:10:00.000Z');
    expect((await admin(`PATCH ${kept}/enable`)).body['expiresAt']).toBeNull();
    gateway.clock.advance(599_999);
    expect((await admin(`GET ${short}`)).body['enabled']).toBe(true);
    const closed = new Promise((resolve) => gateway.store.onChange(resolve));
    gateway.clock.advance(1);
    await closed;
    // Looked at later, it is still the moment at which it ended.
    gateway.clock.advance(1_800_000);
    expect((await admin(`GET ${short}`)).body).toMatchObject({
      enabled: false,
      expiresAt: null,
      closedAt: '2026-11-21T12:10:00.000Z',
      closedBy: 'time-limit',
      problem: 'Closed on 2026-11-21 at 12:10 UTC by its time limit. Enable it to open it again.',
    });
    const opened = await admin(`PATCH ${short}/enable`);
    expect(opened.body).toMatchObject({ closedAt: null, closedBy: null, problem: null });
    expect((await admin(`GET ${kept}`)).body['enabled']).toBe(true);
  });

  it('go with their domain', async () => {
    await created({ domain: 'app.example.test' });
    await admin(`DELETE /api/domains/${ids.domainId}`);
    expect(served()).not.toContain('127.0.0.1:8081');
    expect(await gateway.store.desired()).toMatchObject({ domains: [] });
  });

  it('share no domain with the console, whichever comes first', async () => {
    await admin('PATCH /api/services/1/http/1', { domain: 'admin.example.test' });
    expect(Object.keys(problemsIn(await create({ domain: 'admin.example.test' })))).toEqual(['domain']);
    await created();
    const reply = await admin('PATCH /api/services/1/http/1', { domain: 's.example.test' });
    expect(Object.keys(problemsIn(reply))).toEqual(['domain']);
  });

  it('are not there for another node', async () => {
    const id = (await created()).split('/').at(-1);
    const elsewhere = `${place(ids.edgeId)}/${id}` as const;
    const edge: TestApi = await asNode(gateway, admin, ids.edgeId);
    const replies = [
      await admin(`GET ${elsewhere}`),
      await admin(`PATCH ${elsewhere}`, {}),
      await admin(`PATCH ${elsewhere}/enable`),
      await admin(`PATCH ${elsewhere}/disable`),
      await admin(`DELETE ${elsewhere}`),
      await edge(`PATCH /api/cli/services/${type}/${id}`, {}),
      await edge(`PATCH /api/cli/services/${type}/${id}/enable`),
      await edge(`PATCH /api/cli/services/${type}/${id}/disable`),
    ];
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404));
  });
});

it.each([
  [443, 'https://app.example.test/'],
  [8443, 'https://app.example.test:8443/'],
])('leads to a domain at port %i by %s', (httpsPort, url) => {
  expect(domainUrl('app.example.test', { httpsPort })).toBe(url);
});
