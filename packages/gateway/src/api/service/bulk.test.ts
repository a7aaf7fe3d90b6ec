import type { BulkInput, BulkResult } from '@sallyport/sdk/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { refuses } from '../../testing/fakeIngress.ts';
import { asNode, problemsIn, seedEachTest, type SeededGateway, type TestApi, testApi } from '../../testing/testApi.ts';

let { gateway, admin, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin, ids } = seeded));

// Next to the seed's `App` on the local node and `Wiki` on `edge`.
let tcpId: number;
beforeEach(async () => {
  const body = { name: 'Broker', backendHost: '127.0.0.1', backendPort: 1883, tags: ['Home'] };
  tcpId = Number((await admin('POST /api/services/1/tcp', body)).body['id']);
});

type Item = BulkInput['items'][number];
const app = (more: Partial<Item> = {}): Item => ({ type: 'http', id: ids.appId, ...more });
const wiki = (more: Partial<Item> = {}): Item => ({ type: 'http', id: ids.wikiId, ...more });
const broker = (more: Partial<Item> = {}): Item => ({ type: 'tcp', id: tcpId, ...more });
const CONSOLE: Item = { type: 'http', id: 1 };

async function bulk(body: BulkInput, as: TestApi = admin, headers = {}): Promise<BulkResult[]> {
  const reply = await as('POST /api/services/bulk', body, headers);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body['results'] as never;
}
const statuses = (results: readonly BulkResult[]) => results.map(({ status }) => status);
const http = (id: number) => gateway.store.httpServices.get(id);
const tcp = (id: number) => gateway.store.tcpServices.get(id);
const generation = () => gateway.system.ingress.served()?.generation ?? 0;

/** How often something was written, and how many generations nginx was given for it. */
async function cost(work: () => Promise<unknown>): Promise<{ writes: number; generations: number }> {
  const before = generation();
  let writes = 0;
  const stop = gateway.store.onChange(() => (writes += 1));
  await work();
  stop();
  return { writes, generations: generation() - before };
}

describe('many services', () => {
  it('are closed and opened in one transaction and one generation, of both kinds and all nodes', async () => {
    const items = [app(), wiki(), broker()];
    let results: BulkResult[] = [];
    const disable = async () => (results = await bulk({ action: 'disable', items }));
    expect(await cost(disable)).toEqual({ writes: 1, generations: 1 });
    expect(results).toEqual([
      { type: 'http', id: ids.appId, status: 200, message: null, version: 2, problem: null },
      { type: 'http', id: ids.wikiId, status: 200, message: null, version: 2, problem: null },
      { type: 'tcp', id: tcpId, status: 200, message: null, version: 2, problem: null },
    ]);
    expect(await http(ids.appId)).toMatchObject({ enabled: false, closedBy: 'administrator' });
    expect(await tcp(tcpId)).toMatchObject({ enabled: false });
    expect(await cost(() => bulk({ action: 'enable', items }))).toEqual({ writes: 1, generations: 1 });
    expect(await http(ids.wikiId)).toMatchObject({ enabled: true, closedAt: null, closedBy: null });
  });

  it('are 500 at most, in one generation as well', async () => {
    const body = { backendHost: '127.0.0.1', backendPort: 8081 };
    const made = await gateway.store.write(async (tx) => {
      const row = await tx.httpServices.get(ids.appId);
      if (row === null) throw new Error('the seed has an app');
      const { id: _, version: __, createdAt: ___, updatedAt: ____, ...like } = row;
      const rows = Array.from({ length: 500 }, (_unused, number) => ({ ...like, ...body, pathLocation: `/${number}` }));
      const items: Item[] = [];
      for (const each of rows) items.push({ type: 'http', id: (await tx.httpServices.create(each)).id, version: 1 });
      return items;
    });
    const items = made.value;
    expect(await cost(() => bulk({ action: 'disable', items }))).toEqual({ writes: 1, generations: 1 });
    expect((await gateway.store.httpServices.all({ enabled: true })).map(({ name }) => name)).toHaveLength(3);
    const reply = await admin('POST /api/services/bulk', { action: 'disable', items: [...items, app()] });
    expect([reply.status, Object.keys(problemsIn(reply))]).toEqual([422, ['items']]);
  });

  it('are deleted', async () => {
    const results = await bulk({ action: 'remove', items: [app({ version: 1 }), broker({ version: 1 })] });
    expect(results.map(({ status, version }) => [status, version])).toEqual([
      [200, null],
      [200, null],
    ]);
    expect([await http(ids.appId), await tcp(tcpId)]).toEqual([null, null]);
  });

  it('get tags and lose tags, each of them as it has them, in any case', async () => {
    const items = [app(), broker()];
    expect(statuses(await bulk({ action: 'tag', items, addTags: ['home', 'old'] }))).toEqual([200, 200]);
    expect([(await http(ids.appId))?.tags, (await tcp(tcpId))?.tags]).toEqual([
      ['home', 'old'],
      ['Home', 'old'],
    ]);
    await bulk({ action: 'tag', items, addTags: ['new'], removeTags: ['HOME'] });
    expect([(await http(ids.appId))?.tags, (await tcp(tcpId))?.tags]).toEqual([
      ['old', 'new'],
      ['old', 'new'],
    ]);
    expect((await tcp(tcpId))?.port).toBe(20_000);
  });

  it('are tagged as far as they have room for tags', async () => {
    const full = Array.from({ length: 100 }, (_, number) => `t${number}`);
    await admin(`PATCH /api/services/1/http/${ids.appId}`, { tags: full });
    const [refused, done] = await bulk({ action: 'tag', items: [app(), broker()], addTags: ['more'] });
    expect(refused).toMatchObject({ status: 422, message: expect.stringContaining('100'), version: null });
    expect(done).toMatchObject({ status: 200 });
  });

  it('get a time limit and lose it; one that is closed has none', async () => {
    await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}/disable`);
    const [first, second, third] = await bulk({ action: 'limit', ttl: '2h', items: [app(), wiki(), broker()] });
    expect([first, third]).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(second).toMatchObject({ status: 400, message: expect.stringContaining('Enable it first') });
    const at = new Date(gateway.clock.now().getTime() + 2 * 3_600_000).toISOString();
    expect([await http(ids.appId), await tcp(tcpId)]).toMatchObject([{ expiresAt: at }, { expiresAt: at }]);
    await bulk({ action: 'limit', ttl: null, items: [app()] });
    expect(await http(ids.appId)).toMatchObject({ expiresAt: null });
  });
});

describe('a service among many', () => {
  it('that was changed meanwhile is refused, and the others before and after it are done', async () => {
    await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, { name: 'Handbook' });
    const items = [app({ version: 1 }), wiki({ version: 1 }), broker({ version: 1 })];
    const remove = async () => expect(statuses(await bulk({ action: 'remove', items }))).toEqual([200, 412, 200]);
    expect(await cost(remove)).toEqual({ writes: 1, generations: 1 });
    expect([await http(ids.appId), await tcp(tcpId)]).toEqual([null, null]);
    expect(await http(ids.wikiId)).toMatchObject({ name: 'Handbook', enabled: true });
  });

  it('that was deleted meanwhile is not found, and the console stays as it is', async () => {
    await admin(`DELETE /api/services/1/tcp/${tcpId}`);
    for (const action of ['disable', 'remove'] as const) {
      const results = await bulk({ action, items: [broker(), CONSOLE] });
      expect(results).toMatchObject([
        { status: 404, message: 'Service not found', version: null },
        { status: 400, message: expect.stringContaining('built-in console service'), version: null },
      ]);
    }
    const [limited] = await bulk({ action: 'limit', ttl: '1m', items: [CONSOLE] });
    expect(limited).toMatchObject({ status: 422, message: expect.stringContaining("can't be changed") });
    expect(await http(1)).toMatchObject({ enabled: true, expiresAt: null });
  });

  it('that is named twice is changed once', async () => {
    const items = [app({ version: 1 }), app({ version: 1 })];
    expect(statuses(await bulk({ action: 'tag', addTags: ['a'], items }))).toEqual([200, 412]);
  });

  it('that nginx refuses is as before, alone; a repeated request is told the same', async () => {
    const port = (await tcp(tcpId))?.port ?? 0;
    const items = [app(), wiki(), broker()];
    await bulk({ action: 'disable', items });
    const accept = gateway.system.ingress.rejectWhen(refuses(`:${port}`));
    const key = { 'idempotency-key': 'key-1' };
    const results = await bulk({ action: 'enable', items }, admin, key);
    expect(statuses(results)).toEqual([200, 200, 400]);
    expect(results[2]?.message).not.toBeNull();
    expect([await http(ids.appId), await http(ids.wikiId), await tcp(tcpId)]).toMatchObject([
      { enabled: true },
      { enabled: true },
      { enabled: false },
    ]);
    accept();
    expect(
      (await bulk({ action: 'enable', items }, admin, key)).map(({ status, version }) => [status, version]),
    ).toEqual(results.map(({ status, version }) => [status, version]));
    expect(await tcp(tcpId)).toMatchObject({ enabled: false });
  });

  it('that is done and cannot be served says why', async () => {
    await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}/disable`);
    const [result] = await bulk({ action: 'enable', items: [wiki()] });
    const { body } = await admin(`GET /api/services/${ids.edgeId}/http/${ids.wikiId}`);
    expect(result).toMatchObject({ status: 200, problem: body['problem'] });
  });
});

describe('what is asked for', () => {
  it.each([
    ['no service', { action: 'disable', items: [] }, 'items'],
    ['a service without a kind', { action: 'disable', items: [{ id: 1 }] }, 'items.0.type'],
    ['another action', { action: 'rename', items: [{ type: 'http', id: 1 }] }, 'action'],
    ['a limit without a time', { action: 'limit', items: [{ type: 'http', id: 1 }] }, 'ttl'],
    ['tags without any', { action: 'tag', addTags: [], items: [{ type: 'http', id: 1 }] }, 'addTags'],
  ])('is refused as a whole for %s', async (_, body, field) => {
    const reply = await admin('POST /api/services/bulk', body);
    expect([reply.status, Object.keys(problemsIn(reply))]).toEqual([422, [field]]);
  });
});

describe('a token', () => {
  it('of a node may not', async () => {
    const node = await asNode(gateway, admin, ids.edgeId);
    expect((await node('POST /api/services/bulk', { action: 'disable', items: [wiki()] })).status).toBe(403);
    expect(await http(ids.wikiId)).toMatchObject({ enabled: true });
  });

  it('for some nodes finds the services of those alone', async () => {
    const scope = ['services:write'];
    const { body } = await admin('POST /api/tokens', { name: 'ci', scope, nodes: [ids.edgeId] });
    const limited = testApi(gateway, String(body['token']));
    const results = await bulk({ action: 'disable', items: [app(), wiki(), broker()] }, limited);
    expect(results.map(({ status, message }) => [status, message])).toEqual([
      [404, 'Service not found'],
      [200, null],
      [404, 'Service not found'],
    ]);
    expect([await http(ids.appId), await tcp(tcpId)]).toMatchObject([{ enabled: true }, { enabled: true }]);
  });

  it('of a program leaves the console alone', async () => {
    const { body } = await admin('POST /api/tokens', { name: 'ci', scope: ['services:write'] });
    const program = testApi(gateway, String(body['token']));
    expect(statuses(await bulk({ action: 'tag', addTags: ['a'], items: [CONSOLE, app()] }, program))).toEqual([
      400, 200,
    ]);
  });
});
