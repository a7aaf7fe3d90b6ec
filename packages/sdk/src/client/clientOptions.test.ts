import { describe, expect, test } from 'vitest';
import { clientOf, errorOf, node } from '../testing/client.ts';
import type { LogQuery } from './api.generated.ts';

const nodeOf = (id: number) => ({ ...node, id, name: `edge ${id}` });

describe('all', () => {
  /** Pages of a list of five nodes. */
  const paged = ({ url }: Request): Response => {
    const { searchParams } = new URL(url);
    const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))];
    const data = [1, 2, 3, 4, 5].slice((page - 1) * limit, page * limit).map(nodeOf);
    return Response.json({ data, page, limit, total: 5 });
  };

  test('gives every row of all pages, and reads a page when it is needed', async () => {
    const { client, requests } = clientOf(paged);
    const seen: [number, number][] = [];
    for await (const { id } of client.node.all({ query: { limit: 2, search: 'edge' } }))
      seen.push([id, requests.length]);
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 2],
      [5, 3],
    ]);
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(
      [1, 2, 3].map((page) => `?limit=2&orderBy=id%2Casc&search=edge&page=${page}`),
    );
  });

  test('asks for no more pages once its loop is left', async () => {
    const { client, requests } = clientOf(paged);
    for await (const { id } of client.node.all({ query: { limit: 2 } })) if (id === 2) break;
    expect(requests).toHaveLength(1);
  });

  test('ends with a gateway that gives all rows at once, and with an empty list', async () => {
    const rows = async (reply: unknown) => {
      const { client } = clientOf(() => Response.json(reply));
      const found: unknown[] = [];
      for await (const each of client.node.all()) found.push(each.id);
      return found;
    };
    expect(await rows([nodeOf(1), nodeOf(2)])).toEqual([1, 2]);
    expect(await rows([])).toEqual([]);
  });

  test('asks no further where a page has no rows, whatever total the gateway says', async () => {
    const { client, requests } = clientOf(() => Response.json({ data: [], page: 1, limit: 2, total: 7 }));
    expect(await client.node.all().next()).toMatchObject({ done: true });
    expect(requests).toHaveLength(1);
  });
});

describe('withResponse', () => {
  const reply = () => Response.json(nodeOf(2), { headers: { 'x-request-id': 'r-7', etag: '"4"' } });

  test('gives the reply with its headers and the number of the request, in one request', async () => {
    const { client, requests } = clientOf(reply);
    const call = client.node.get({ params: { id: 2 } });
    const { data, status, headers, requestId } = await call.withResponse();
    expect([data.name, status, headers.get('etag'), requestId]).toEqual(['edge 2', 200, '"4"', 'r-7']);
    expect((await call).id).toBe(2);
    expect(requests).toHaveLength(1);
  });

  test('fails as the call does', async () => {
    const { client } = clientOf(() => new Response(null, { status: 404 }));
    expect((await errorOf(client.node.get({ params: { id: 2 } }).withResponse())).kind).toBe('missing');
  });
});

describe('maxRetries', () => {
  const lost = () => {
    throw new TypeError('fetch failed');
  };
  test.each([
    ['a read', 0, 1],
    ['a read', 3, 4],
    ['a write', 0, 1],
    ['a write', 5, 6],
  ] as const)('sends %s that is lost %i times again', async (kind, maxRetries, sent) => {
    const { client, requests } = clientOf(lost, { retryDelaysMs: [0] });
    const options = { maxRetries };
    const call =
      kind === 'a read' ? client.node.list({}, options) : client.node.create({ body: { name: 'x' } }, options);
    expect(await errorOf(call)).toMatchObject({ kind: 'unreachable' });
    expect(requests).toHaveLength(sent);
  });

  test('is the client’s unless the call has its own', async () => {
    const { client, requests } = clientOf(lost, { retryDelaysMs: [0], maxRetries: 2 });
    await errorOf(client.node.list());
    expect(requests).toHaveLength(3);
    await errorOf(client.node.list({}, { maxRetries: 0 }));
    expect(requests).toHaveLength(4);
  });
});

test('withOptions makes a client that differs in them alone, and leaves the first as it is', async () => {
  const { client, requests } = clientOf(() => Response.json([]), { token: 'one' });
  await client.withOptions({ token: 'two' }).node.list();
  await client.node.list();
  expect(requests.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
    ['https://gateway.test/api/nodes', 'Bearer two'],
    ['https://gateway.test/api/nodes', 'Bearer one'],
  ]);
});

test('tells a token that is not accepted from none', async () => {
  const refused = () => new Response(null, { status: 401 });
  const [without, withToken] = [clientOf(refused).client, clientOf(refused, { token: 'old' }).client];
  expect(await errorOf(without.node.list())).toMatchObject({
    kind: 'unauthorized',
    tokenRefused: false,
    message: 'Sign in first',
  });
  expect(await errorOf(withToken.node.list())).toMatchObject({
    kind: 'unauthorized',
    tokenRefused: true,
    message: 'The gateway does not accept the token any more; sign in again',
  });
});

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS=FILE'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS=FILE'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another name'],
  ['CERT_HAS_EXPIRED', 'it has expired'],
])('names a certificate that is not trusted (%s), and what helps; it does not try again', async (code, text) => {
  const { client, requests } = clientOf(() => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('tls'), { code }) });
  });
  const error = await errorOf(client.node.list());
  expect(error).toMatchObject({ kind: 'untrusted', status: null, message: expect.stringContaining(text) });
  expect(error).toMatchObject({ message: expect.stringContaining('https://gateway.test') });
  expect(requests).toHaveLength(1);
});

test('a query that needs one of two fields is not written without them', () => {
  const queries: LogQuery[] = [{ domain: 'a.example.com' }, { type: 'http', id: 1, lines: 5 }];
  // @ts-expect-error neither a domain nor a service
  queries.push({ lines: 5 });
  // @ts-expect-error a kind without a number
  queries.push({ type: 'tcp' });
  expect(queries).toHaveLength(4);
});
