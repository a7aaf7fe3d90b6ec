import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { adminContract, endpointsOf } from '../contract/contract.ts';
import { clientOf, errorOf, node } from '../testing/client.ts';
import { ApiError, type ApiErrorKind, isApiError } from './apiError.ts';
import { type ClientOptions, createAdminClient } from './createClient.ts';
import { sendRaw } from './sendRaw.ts';

const json = (value: unknown, init?: ResponseInit) => Response.json(value, init);

test('has a method for every endpoint of the contract', () => {
  const client = createAdminClient({ baseUrl: 'https://gateway.test' });
  const methods = Object.entries(client).flatMap(([group, verbs]) =>
    Object.entries(verbs).map(([verb, method]) => `${group}.${verb} ${typeof method}`),
  );
  const names = endpointsOf(adminContract).map(({ name }) => `${name} function`);
  expect(methods).toEqual(names);
});

describe('a request', () => {
  test('carries params, query and body where they belong', async () => {
    const { client, requests } = clientOf(() => json([]));
    await client.node.list({ query: { page: 2, limit: 10, search: 'a&b=c', type: undefined } });
    await errorOf(client.tcpService.update({ params: { nodeId: 2, id: 7 }, body: { name: 'mqtt' } }, { ifMatch: 3 }));
    const [list, update] = requests;
    expect(list?.url).toBe('https://gateway.test/api/nodes?page=2&limit=10&search=a%26b%3Dc');
    expect(list?.method).toBe('GET');
    expect(list?.headers.get('accept')).toBe('application/json');
    expect(list?.credentials).toBe('include');
    expect(update?.url).toBe('https://gateway.test/api/services/2/tcp/7');
    expect(update?.method).toBe('PATCH');
    expect(update?.headers.get('content-type')).toBe('application/json');
    expect(update?.headers.get('if-match')).toBe('"3"');
    expect(await update?.json()).toEqual({ name: 'mqtt' });
  });

  test.each(['text', 0, null])('carries the body %j as JSON', async (body) => {
    const bodies: [string | null, string][] = [];
    const fetch = async (request: Request) => {
      bodies.push([request.headers.get('content-type'), await request.text()]);
      return json({});
    };
    const options = { baseUrl: 'https://gateway.test', fetch };
    await sendRaw(options, { method: 'POST', path: '/api/nodes', body }, async () => undefined);
    expect(bodies).toEqual([['application/json', JSON.stringify(body)]]);
  });

  test.each([
    ['https://gateway.test/', 'https://gateway.test/api/nodes'],
    ['https://gateway.test:9443', 'https://gateway.test:9443/api/nodes'],
    ['http://127.0.0.1:3000/behind/a/proxy//', 'http://127.0.0.1:3000/behind/a/proxy/api/nodes'],
    ['https://gateway.test/?token=x#y', 'https://gateway.test/api/nodes'],
  ])('below %s goes to %s', async (baseUrl, url) => {
    const { client, requests } = clientOf(() => json([]), { baseUrl });
    await client.node.list();
    expect(requests[0]?.url).toBe(url);
  });

  test.each([
    '',
    'gateway.test',
    '/api',
    'ftp://gateway.test',
    'https://admin:pass@gateway.test',
    'https://:pass@gateway.test',
  ])('is not made below %j', (baseUrl) => {
    expect(() => clientOf(() => json([]), { baseUrl })).toThrow(/^baseUrl must be an http or https address/);
  });

  test.each([
    ['', 'https://console.test/api/nodes'],
    ['/', 'https://console.test/api/nodes'],
    ['/prefix/', 'https://console.test/prefix/api/nodes'],
  ])('in a page goes to its own origin with %j', async (baseUrl, url) => {
    vi.stubGlobal('location', { href: 'https://console.test/nodes/2?x=y' });
    const { client, requests } = clientOf(() => json([]), { baseUrl });
    vi.unstubAllGlobals();
    await client.node.list();
    expect(requests[0]?.url).toBe(url);
  });

  test.each(['../../healthz', '1/../2', '', ' 1', 0, -1, 1.5, Number.NaN, null])(
    'is not made for the id %j',
    async (id) => {
      const { client, requests } = clientOf(() => json(node));
      const error = await errorOf(client.node.get({ params: { id: id as number } }));
      expect(error).toMatchObject({ kind: 'invalid', status: null, problems: [{ field: 'id' }] });
      expect(requests).toEqual([]);
    },
  );

  test('carries the token of the moment, or none', async () => {
    let token: string | null = null;
    const { client, requests } = clientOf(() => json([]), { token: () => token });
    await client.node.list();
    token = 'first';
    await client.node.list();
    token = 'second';
    await client.node.list();
    expect(requests.map((request) => request.headers.get('authorization'))).toEqual([
      null,
      'Bearer first',
      'Bearer second',
    ]);
  });

  test('with a token that cannot be one is not made, and the token is not told', async () => {
    const { client, requests } = clientOf(() => json([]), { token: 'secret\r\nx-evil: 1' });
    const error = await errorOf(client.node.list());
    expect(error.kind).toBe('unauthorized');
    expect(`${error.stack}`).not.toContain('secret');
    expect(requests).toEqual([]);
  });
});

describe('a reply', () => {
  test('is what the contract says, its unknown fields gone', async () => {
    const { client } = clientOf(() => json({ ...node, privateKey: 'x' }));
    const reply = await client.node.get({ params: { id: 2 } });
    expect(reply).toMatchObject({ id: 2, status: 'offline', version: 1 });
    expect(reply).not.toHaveProperty('privateKey');
  });

  test.each([
    [
      'truncated JSON',
      () => new Response('{"id":2,"name":"hidden', { headers: { 'content-type': 'application/json' } }),
    ],
    ['the page of a console', () => new Response('<html>hidden</html>', { headers: { 'content-type': 'text/html' } })],
    ['JSON with a prototype', () => new Response('hidden {"__proto__":{}}')],
    ['nothing', () => new Response(null)],
    ['another shape', () => json(['hidden'])],
    ['a field of another type', () => json({ ...node, address: ['hidden'] })],
  ])('of %s is a mismatch that does not show it', async (_, reply) => {
    const { client } = clientOf(reply);
    const error = await errorOf(client.node.get({ params: { id: 2 } }));
    expect(error.kind).toBe('mismatch');
    expect(error.message).toMatch(/^The reply to node\.get is not what the contract says: /);
    expect(JSON.stringify([error, error.stack])).not.toContain('hidden');
  });

  test('that differs names the field', async () => {
    const { client } = clientOf(() => json({ data: [node, { ...node, name: 5 }], page: 1, limit: 10, total: 2 }));
    expect((await errorOf(client.node.list())).message).toContain('it differs at "data.1.name"');
  });

  test.each([200, 204])('of %i without a body is the success of a write', async (status) => {
    const { client } = clientOf(() => new Response(null, { status }));
    expect(await client.node.update({ params: { id: 2 }, body: { name: 'edge' } })).toBeNull();
    expect(await client.node.remove({ params: { id: 2 } })).toBe('');
    expect(await client.domain.create({ body: { domain: 'app.example.test' } })).toBeNull();
    expect((await errorOf(client.node.create({ body: { name: 'edge' } }))).kind).toBe('mismatch');
    expect((await errorOf(client.system.config())).kind).toBe(status === 204 ? 'missing' : 'mismatch');
  });
});

describe('an error', () => {
  const kinds: Partial<Record<ApiErrorKind, number[]>> = {
    rejected: [400, 405, 413],
    unauthorized: [401, 403],
    missing: [404, 410],
    conflict: [409, 412],
    invalid: [422],
    throttled: [429],
    server: [500, 501, 502, 503],
  };
  const statuses = Object.entries(kinds).flatMap(([kind, all]) => all.map((status) => [status, kind] as const));
  test.each(statuses)('%i is %s, tried once', async (status, kind) => {
    const body = { status: 'error', message: 'Because.', requestId: 'r-1' };
    const { client, requests } = clientOf(() => json(body, { status }));
    const error = await errorOf(client.node.list());
    expect(error).toMatchObject({ kind, status, message: 'Because.', requestId: 'r-1', problems: [] });
    expect(isApiError(error, 'unreachable')).toBe(false);
    expect(requests).toHaveLength(1);
  });

  test('of 422 carries the problems of every part, as far as they are problems', async () => {
    const errors = {
      body: [{ field: 'name', message: 'This field is required' }, { field: 5 }, null],
      query: [{ field: 'page', message: 'This field must be a number' }],
      params: 'what?',
    };
    const { client } = clientOf(() => json({ message: 'Validation failed', errors }, { status: 422 }));
    expect((await errorOf(client.node.list())).problems).toEqual([
      { field: 'name', message: 'This field is required' },
      { field: 'page', message: 'This field must be a number' },
    ]);
  });

  test.each(['<html>502</html>', '', 'null', '[]', '"text"', '{"message":5,"errors":null,"requestId":{}}'])(
    'with the body %j has a message of its own',
    async (body) => {
      const { client } = clientOf(() => new Response(body, { status: 502, headers: { 'x-request-id': 'r-2' } }));
      expect(await errorOf(client.node.list())).toMatchObject({
        kind: 'server',
        message: 'The gateway failed to answer; try again, then look into its log',
        requestId: 'r-2',
      });
    },
  );

  test('of a limiter says when to try again, in seconds or by a date', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T10:00:00Z'), toFake: ['Date'] });
    const after = async (header: string | null) => {
      const headers = header === null ? undefined : { 'retry-after': header };
      const { client } = clientOf(
        () => new Response('Rate Limit exceeded', { status: 429, ...(headers && { headers }) }),
      );
      const error = await errorOf(client.session.login({ body: { username: 'a', password: 'b' } }));
      expect(error.message).toBe('Too many attempts, try again later');
      return error.retryAfterSeconds;
    };
    expect(await after('120')).toBe(120);
    expect(await after('Sat, 21 Nov 2026 10:01:30 GMT')).toBe(90);
    expect(await after('Sat, 21 Nov 2026 09:00:00 GMT')).toBe(0);
    expect(await after('soon')).toBeNull();
    expect(await after(null)).toBeNull();
    vi.useRealTimers();
  });

  test('without a reply is unreachable and keeps its cause, not the request', async () => {
    const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    const { client } = clientOf(() => Promise.reject(refused), { token: 'secret' });
    const error = await errorOf(client.node.list());
    expect(error).toMatchObject({ kind: 'unreachable', status: null, cause: refused });
    expect(error.message).toBe('The gateway cannot be reached (https://gateway.test)');
    expect(Object.getOwnPropertyNames(error)).not.toContain('options');
  });

  test('in the middle of a body is unreachable', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id":'));
        controller.error(new TypeError('terminated'));
      },
    });
    const { client } = clientOf(() => new Response(body));
    expect((await errorOf(client.node.list())).kind).toBe('unreachable');
  });

  test('is told to onError with its call, before it is thrown', async () => {
    const onError = vi.fn<NonNullable<ClientOptions['onError']>>();
    const { client } = clientOf(() => json({}, { status: 401 }), { onError, token: 'x' });
    const error = await errorOf(client.node.list());
    expect(onError).toHaveBeenCalledExactlyOnceWith(error, { name: 'node.list', authenticated: true });
    const { client: open } = clientOf(() => json({}, { status: 401 }), { onError });
    await errorOf(open.node.download({ params: { id: 2 } }));
    expect(onError).toHaveBeenLastCalledWith(expect.any(ApiError), { name: 'node.download', authenticated: false });
  });
});

describe('ending a call', () => {
  /** A gateway in process that never answers and does not watch the signal. */
  const silent = () => Promise.withResolvers<Response>().promise;
  const endless = () => new Response(new ReadableStream({}));

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['before a reply', silent],
    ['within a body', endless],
  ])('%s rejects with the reason of the caller, which is no one’s error', async (_, reply) => {
    const onError = vi.fn<NonNullable<ClientOptions['onError']>>();
    const { client } = clientOf(reply, { onError });
    const caller = new AbortController();
    const left = vi.spyOn(caller.signal, 'removeEventListener');
    const work = client.node.list({}, { signal: caller.signal });
    const reason = new Error('the screen is gone');
    await Promise.resolve();
    caller.abort(reason);
    await expect(work).rejects.toBe(reason);
    expect(onError).not.toHaveBeenCalled();
    expect(left).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that was ended before it began sends nothing it would wait for', async () => {
    const { client, requests } = clientOf(silent);
    await expect(client.node.list({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect(requests).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['before a reply', silent],
    ['within a body', endless],
  ])('by the time limit, %s, is unreachable', async (_, reply) => {
    const { client } = clientOf(reply);
    const failed = errorOf(client.node.list());
    await vi.advanceTimersByTimeAsync(29_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failed).toMatchObject({
      kind: 'unreachable',
      message: 'The gateway did not answer within 30 s (https://gateway.test)',
    });
  });

  test('has a limit of the client or of the call, or none', async () => {
    const { client } = clientOf(silent, { timeoutMs: 1000 });
    const own = errorOf(client.node.list({}, { timeoutMs: 5000 }));
    const common = errorOf(client.node.list());
    const caller = new AbortController();
    const none = client.node.list({}, { timeoutMs: null, signal: caller.signal });
    // Each counts from when its request is sent.
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await common).message).toContain('within 1 s');
    await vi.advanceTimersByTimeAsync(4000);
    expect((await own).message).toContain('within 5 s');
    caller.abort();
    await expect(none).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('that was answered leaves no timer and no listener', async () => {
    const { client } = clientOf(() => json([]));
    const caller = new AbortController();
    const joined = vi.spyOn(caller.signal, 'addEventListener');
    const left = vi.spyOn(caller.signal, 'removeEventListener');
    await client.node.list({}, { signal: caller.signal });
    expect(left).toHaveBeenCalledTimes(joined.mock.calls.length);
    expect(vi.getTimerCount()).toBe(0);
  });
});
