import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { problemsIn, type TestApi, testApi } from '../../testing/testApi.ts';

let gateway: TestGateway;
let api: TestApi;
let edgeId: number;

beforeEach(async () => {
  gateway = await createTestGateway();
  api = testApi(gateway, await gateway.signIn());
  edgeId = Number((await api('POST /api/nodes', { name: 'edge' })).body['id']);
});
afterEach(() => gateway.stop());

type Row = { id: number; name: string };

// Both kinds of service are listed alike.
describe.each([
  ['http', (index: number) => ({ pathLocation: `/${index}`, backendPort: 80 })],
  ['tcp', (index: number) => ({ port: 20_100 - index, backendPort: 22 })],
] as const)('the list of %s services', (type, own) => {
  const all = `/api/services/${type}` as const;

  /** Twelve services, two of each name, every other one on the node `edge`, half of them under a domain. */
  const fill = async (): Promise<void> => {
    for (let index = 0; index < 12; index += 1) {
      const isLocal = index % 2 === 0;
      const domain = index < 6 ? 'a.example.test' : index < 9 ? 'b.example.test' : null;
      const reply = await api(`POST /api/services/${isLocal ? 1 : edgeId}/${type}`, {
        name: `service ${Math.floor(index / 2)}`,
        domain,
        ...(isLocal && { backendHost: index === 4 ? 'printer.lan' : '127.0.0.1' }),
        ...own(index),
      });
      if (reply.status !== 200) throw new Error(JSON.stringify(problemsIn(reply)));
    }
  };
  // The console is an HTTP service of the local node, and the first of all.
  const consoles = type === 'http' ? 1 : 0;
  const rowsOf = async (query: string): Promise<Row[]> => {
    const { body } = await api(`GET ${all}?limit=100&${query}`);
    return body['data'] as Row[];
  };

  it('comes in pages that neither overlap nor leave anything out, whatever the order', async () => {
    await fill();
    const columns = ['id', 'name', 'domain', 'enabled', 'created_at', type === 'tcp' ? 'port' : 'pathLocation'];
    for (const order of columns.flatMap((column) => [`${column},asc`, `${column},desc`])) {
      const seen: number[] = [];
      for (const page of [1, 2, 3, 4]) {
        const { body } = await api(`GET ${all}?page=${page}&limit=4&orderBy=${order}`);
        expect(body).toMatchObject({ page, limit: 4, total: 12 + consoles });
        seen.push(...(body['data'] as Row[]).map(({ id }) => id));
      }
      expect(new Set(seen).size, order).toBe(12 + consoles);
      expect(seen).toHaveLength(12 + consoles);
    }
  });

  it('is sorted as asked, both ways, and equal ones by age', async () => {
    await fill();
    const rows = (await rowsOf('orderBy=name,desc')).filter(({ name }) => name.startsWith('service'));
    expect(rows.map(({ name }) => name).slice(0, 4)).toEqual(['service 5', 'service 5', 'service 4', 'service 4']);
    const [first, second] = rows;
    expect(first?.id).toBeLessThan(second?.id ?? 0);
    const column = type === 'tcp' ? 'port' : 'pathLocation';
    const values = (await rowsOf(`orderBy=${column},asc`)).map((row) => (row as Record<string, unknown>)[column]);
    const sorted = values.toSorted((a, b) => (a === b ? 0 : (a as number) < (b as number) ? -1 : 1));
    expect(values).toEqual(sorted);
  });

  it('takes no order that is not on the list', async () => {
    for (const order of ['backend_port,asc', 'id', 'id,up', 'id;drop table nodes,asc', '(select 1),asc']) {
      expect((await api(`GET ${all}?orderBy=${encodeURIComponent(order)}`)).status).toBe(422);
    }
  });

  it('can be searched by name, domain and backend, and a wildcard is an ordinary character', async () => {
    await fill();
    expect((await rowsOf('search=service%203')).map(({ name }) => name)).toEqual(['service 3', 'service 3']);
    expect(await rowsOf('search=B.EXAMPLE')).toHaveLength(3);
    expect(await rowsOf('search=printer')).toHaveLength(1);
    for (const wildcard of ['%25', '_', '%5C']) expect(await rowsOf(`search=${wildcard}`)).toEqual([]);
    expect((await api(`GET ${all}?search=service%203&limit=1`)).body).toMatchObject({ total: 2 });
  });

  it('can be narrowed by node and domain at once, and is a plain list without a limit', async () => {
    await fill();
    expect(await rowsOf(`nodeId=${edgeId}&domain=A.example.test`)).toHaveLength(3);
    const { body } = await api(`GET /api/services/${edgeId}/${type}?domain=b.example.test`);
    expect(body).toHaveLength(1);
    expect((await api(`GET ${all}`)).body).toHaveLength(12 + consoles);
    expect((await api(`GET /api/services/4711/${type}`)).status).toBe(404);
  });
});
