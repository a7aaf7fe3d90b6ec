import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { type TestApi, testApi, type TestReply } from '../../testing/testApi.ts';

let gateway: TestGateway;
let api: TestApi;
let edgeId: number;

type Row = { id: number; nodeId: number; name: string; domain: string | null; pathLocation: string; enabled: boolean };
type Page = { data: Row[]; page: number; limit: number; total: number };

beforeAll(async () => {
  gateway = await createTestGateway();
  ({ edgeId } = await gateway.seed());
  api = testApi(gateway, await gateway.signIn());
  const add = (nodeId: number, name: string, rest: object) => {
    gateway.clock.advance(1000);
    return api(`POST /api/services/${nodeId}/http`, {
      name,
      ...(nodeId === 1 && { backendHost: '127.0.0.1' }),
      ...rest,
    });
  };
  for (let index = 0; index < 9; index += 1)
    await add(1, 'Same', { domain: 'app.example.test', pathLocation: `/same${index}` });
  await add(1, '100% wool', { pathLocation: '/percent' });
  await add(1, 'snake_case', { pathLocation: '/under' });
  await add(1, 'Zebra', { domain: 'other.example.test', backendHost: '127.0.0.9' });
  await add(edgeId, 'aardvark', { domain: 'other.example.test', pathLocation: '/edge' });
  for (const name of ['snake_case', 'aardvark']) {
    const { id, nodeId } = (await list(`limit=1&search=${name}`)).data[0] ?? { id: 0, nodeId: 0 };
    await api(`PATCH /api/services/${nodeId}/http/${id}/disable`);
  }
});
afterAll(() => gateway.stop());

/** The parameters that are refused. */
const refused = ({ body }: TestReply): string[] =>
  Object.values(body['errors'] as Record<string, { field: string }[]>).flatMap((problems) =>
    problems.map(({ field }) => field),
  );

const list = async (query: string, path = '/api/services/http'): Promise<Page> => {
  const { status, body } = await api(`GET ${path as '/'}?${query}`);
  expect(status).toBe(200);
  return body as Page;
};
const names = async (query: string): Promise<string[]> =>
  (await list(`limit=100&${query}`)).data.map(({ name }) => name);

describe('a list of services', () => {
  it('comes in pages that are in one order together, and counts all', async () => {
    for (const orderBy of ['', '&orderBy=name,asc', '&orderBy=domain,desc', '&orderBy=enabled,asc']) {
      const whole = (await list(`limit=100${orderBy}`)).data.map(({ id }) => id);
      const pages: number[] = [];
      for (let page = 1; page <= 5; page += 1) {
        const found = await list(`limit=4&page=${page}${orderBy}`);
        expect(found).toMatchObject({ page, limit: 4, total: whole.length });
        pages.push(...found.data.map(({ id }) => id));
      }
      expect(pages).toEqual(whole);
      expect(new Set(pages).size).toBe(whole.length);
    }
    expect(await list('limit=4&page=9')).toMatchObject({ data: [], page: 9, total: expect.any(Number) });
  });

  it.each([
    ['zebra', ['Zebra']],
    ['0.0.9', ['Zebra']],
    ['OTHER.example', ['Zebra', 'aardvark']],
    ['/edge', ['aardvark']],
    ['%', ['100% wool']],
    ['_', ['snake_case']],
    ['\\', []],
    ["' or 1=1 --", []],
  ])('finds %s in names, domains, paths and hosts, as it is written', async (search, found) => {
    expect(await names(`search=${encodeURIComponent(search)}`)).toEqual(found);
    expect((await list(`limit=1&search=${encodeURIComponent(search)}`)).total).toBe(found.length);
  });

  it.each(['id', 'name', 'domain', 'pathLocation', 'enabled', 'created_at'])(
    'can be ordered by %s, both ways',
    async (column) => {
      const valuesOf = async (direction: string) =>
        (await list(`limit=100&orderBy=${column},${direction}`)).data.map((row) => {
          const value: unknown = row[column as 'name'] ?? '';
          return typeof value === 'string' ? value.toLowerCase() : value;
        }) as string[];
      const up = await valuesOf('asc');
      expect(new Set(up).size).toBeGreaterThan(1);
      expect(up).toEqual(up.toSorted((a, b) => (a < b ? -1 : Number(a > b))));
      expect(await valuesOf('desc')).toEqual(up.toReversed());
    },
  );

  it.each(['nodeId,asc', 'name', 'name,up', 'name,asc;drop table nodes', 'backend_port,asc', ''])(
    'cannot be ordered by "%s"',
    async (orderBy) => {
      const reply = await api(`GET /api/services/http?orderBy=${encodeURIComponent(orderBy)}`);
      expect(reply.status).toBe(422);
      expect(refused(reply)).toEqual(['orderBy']);
    },
  );

  it('is that of a domain, of a node, or of both', async () => {
    expect(await names('domain=other.example.test')).toEqual(['Zebra', 'aardvark']);
    expect(await names('domain=OTHER.example.test')).toEqual(['Zebra', 'aardvark']);
    expect(await names('domain=example.test')).toEqual([]);
    expect(await names(`domain=other.example.test&nodeId=${edgeId}`)).toEqual(['aardvark']);
    const ofNode = await list('limit=100', `/api/services/${edgeId}/http`);
    expect(ofNode.data.every(({ nodeId }) => nodeId === edgeId)).toBe(true);
    expect(ofNode.data.map(({ name }) => name)).toEqual(['Wiki', 'aardvark']);
    expect((await list('limit=1&domain=app.example.test&search=same')).total).toBe(9);
  });

  it.each(['page=0', 'page=-1', 'page=x', 'limit=0', 'limit=1001', 'limit=1.5', 'sort=name', 'nodeId=none'])(
    'refuses %s',
    async (query) => {
      const reply = await api(`GET /api/services/http?${query}`);
      expect(reply.status).toBe(422);
      expect(refused(reply)).toEqual([query.split('=')[0]]);
    },
  );
});

describe('the list of domains', () => {
  it('is found and ordered in the same way', async () => {
    const domains = async (query: string) =>
      ((await api(`GET /api/domains?limit=10&${query}`)).body as { data: { domain: string }[] }).data.map(
        ({ domain }) => domain,
      );
    expect(await domains('orderBy=domain,desc')).toEqual(['other.example.test', 'app.example.test']);
    expect(await domains('search=OTHER')).toEqual(['other.example.test']);
    expect(await domains('search=_')).toEqual([]);
    expect((await api('GET /api/domains?orderBy=allowedEmails,asc')).status).toBe(422);
  });
});
