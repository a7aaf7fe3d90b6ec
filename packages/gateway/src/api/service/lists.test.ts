import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededGateway, type SeededGateway, type TestReply } from '../../testing/testApi.ts';

let { gateway, admin, ids }: SeededGateway = {} as never;

type Row = Record<string, unknown> & { id: number; nodeId: number; name: string };
type Page = { data: Row[]; page: number; limit: number; total: number };

/** The same services of both kinds; next to them are those of the seed, and the console. */
beforeAll(async () => {
  ({ gateway, admin, ids } = await seededGateway());
  for (const type of ['http', 'tcp'] as const) {
    const add = async (nodeId: number, name: string, rest: Record<string, unknown>) => {
      gateway.clock.advance(1000);
      const index = gateway.clock.now().getSeconds();
      const reply = await admin(`POST /api/services/${nodeId}/${type}`, {
        name,
        ...(nodeId === 1 && { backendHost: '127.0.0.1' }),
        ...(type === 'http' ? { pathLocation: `/same${index}` } : { port: 20_100 - index, backendPort: 22 }),
        ...rest,
      });
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
      return `/api/services/${nodeId}/${type}/${String(reply.body['id'])}` as const;
    };
    for (let index = 0; index < 9; index += 1) await add(1, 'Same', { domain: 'app.example.test' });
    await add(1, '100% wool', {});
    await admin(`PATCH ${await add(1, 'snake_case', {})}/disable`);
    await add(1, 'Zebra', { domain: 'other.example.test', backendHost: '127.0.0.9' });
    await admin(`PATCH ${await add(ids.edgeId, 'aardvark', { domain: 'other.example.test' })}/disable`);
  }
});
afterAll(() => gateway.stop());

/** The parameters that are refused. */
const refused = ({ body }: TestReply): string[] =>
  Object.values(body['errors'] as Record<string, { field: string }[]>).flatMap((problems) =>
    problems.map(({ field }) => field),
  );

const list = async (path: string, query: string): Promise<Page> => {
  const { status, body } = await admin(`GET ${path as '/'}?${query}`);
  expect(status).toBe(200);
  return body as Page;
};

describe.each([
  ['http', 'pathLocation'],
  ['tcp', 'port'],
] as const)('a list of %s services', (type, ownColumn) => {
  const all = `/api/services/${type}` as const;
  const names = async (query: string): Promise<string[]> =>
    (await list(all, `limit=100&${query}`)).data.map(({ name }) => name);

  it.each(['', '&orderBy=name,asc', '&orderBy=domain,desc', '&orderBy=enabled,asc', `&orderBy=${ownColumn},desc`])(
    'comes in pages that are in one order together, and counts all (%s)',
    async (orderBy) => {
      const whole = (await list(all, `limit=100${orderBy}`)).data.map(({ id }) => id);
      const pages: number[] = [];
      for (let page = 1; page <= 5; page += 1) {
        const found = await list(all, `limit=4&page=${page}${orderBy}`);
        expect(found).toMatchObject({ page, limit: 4, total: whole.length });
        pages.push(...found.data.map(({ id }) => id));
      }
      expect(pages).toEqual(whole);
      expect(new Set(pages).size).toBe(whole.length);
      expect(await list(all, 'limit=4&page=9')).toMatchObject({ data: [], page: 9, total: whole.length });
      expect((await admin(`GET ${all}`)).body).toHaveLength(whole.length);
    },
  );

  it.each([
    ['zebra', ['Zebra']],
    ['0.0.9', ['Zebra']],
    ['OTHER.example', ['Zebra', 'aardvark']],
    ['%', ['100% wool']],
    ['_', ['snake_case']],
    ['\\', []],
    ["' or 1=1 --", []],
  ])('finds %s in names, domains and hosts, as it is written', async (search, found) => {
    expect(await names(`search=${encodeURIComponent(search)}`)).toEqual(found);
    expect((await list(all, `limit=1&search=${encodeURIComponent(search)}`)).total).toBe(found.length);
  });

  it.each(['id', 'name', 'domain', 'enabled', 'created_at', ownColumn])(
    'can be ordered by %s, both ways',
    async (column) => {
      const valuesOf = async (direction: string) =>
        (await list(all, `limit=100&orderBy=${column},${direction}`)).data.map((row) => {
          const value = row[column] ?? '';
          return typeof value === 'string' ? value.toLowerCase() : value;
        }) as string[];
      const up = await valuesOf('asc');
      expect(new Set(up).size).toBeGreaterThan(1);
      expect(up).toEqual(up.toSorted((a, b) => (a < b ? -1 : Number(a > b))));
      expect(await valuesOf('desc')).toEqual(up.toReversed());
    },
  );

  it('is that of a domain, of a node, or of both', async () => {
    expect(await names('domain=other.example.test')).toEqual(['Zebra', 'aardvark']);
    expect(await names('domain=OTHER.example.test')).toEqual(['Zebra', 'aardvark']);
    expect(await names('domain=example.test')).toEqual([]);
    expect(await names(`domain=other.example.test&nodeId=${ids.edgeId}`)).toEqual(['aardvark']);
    const ofNode = await list(`/api/services/${ids.edgeId}/${type}`, 'limit=100');
    expect(ofNode.data.map(({ name }) => name)).toEqual(type === 'http' ? ['Wiki', 'aardvark'] : ['aardvark']);
    expect((await list(all, 'limit=1&domain=app.example.test&search=same')).total).toBe(9);
    expect((await admin(`GET /api/services/4711/${type}`)).status).toBe(404);
  });

  it('is that of one service, of its own node alone', async () => {
    const [{ id } = { id: 0 }] = (await list(all, 'limit=1&domain=other.example.test')).data;
    expect((await list(all, `limit=9&id=${id}`)).data.map(({ name }) => name)).toEqual(['Zebra']);
    expect((await list(all, `limit=9&id=${id}&nodeId=1`)).total).toBe(1);
    expect((await list(all, `limit=9&id=${id}&nodeId=${ids.edgeId}`)).data).toEqual([]);
    expect((await list(all, 'limit=9&id=4711')).data).toEqual([]);
  });

  it.each([
    ...['nodeId,asc', 'name', 'name,up', 'name,asc;drop table nodes', 'backend_port,asc', '(select 1),asc', ''].map(
      (order) => `orderBy=${encodeURIComponent(order)}`,
    ),
    'page=0',
    'page=-1',
    'page=x',
    'limit=0',
    'limit=1001',
    'limit=1.5',
    'sort=name',
    'nodeId=none',
    'id=none',
  ])('refuses %s', async (query) => {
    const reply = await admin(`GET ${all}?${query}`);
    expect(reply.status).toBe(422);
    expect(refused(reply)).toEqual([query.split('=')[0]]);
  });
});

it('finds an HTTP service by its path', async () => {
  expect((await list('/api/services/http', 'limit=9&search=/wiki')).data).toMatchObject([{ name: 'Wiki' }]);
});

it('finds and orders domains in the same way', async () => {
  const domains = async (query: string) =>
    (await list('/api/domains', `limit=10&${query}`)).data.map((row) => row['domain']);
  expect(await domains('orderBy=domain,desc')).toEqual(['other.example.test', 'app.example.test']);
  expect(await domains('search=OTHER')).toEqual(['other.example.test']);
  expect(await domains('search=_')).toEqual([]);
  expect((await admin('GET /api/domains?orderBy=allowedEmails,asc')).status).toBe(422);
});
