import { check, type Endpoint, type EndpointName, endpoints, errorBody, type ErrorBody } from '@sallyport/sdk/contract';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Listeners, openListeners } from '../start/listeners.ts';
import { createTestGateway, TEST_ADMIN, type TestGateway } from '../testing.ts';
import { NODE_REFUSAL_EVERY_MS } from './node/tokenLimits.ts';

// Every endpoint of the contract, and everything that may come in from a network.

const UNKNOWN_ID = 987_654;
/** What no reply may ever carry: the inside of the gateway, and secrets. */
const FORBIDDEN = [
  /\bat \S+ \(?(?:file|node|\/)/,
  /node_modules|\.ts:\d/,
  /sqlite|\bselect\b.+\bfrom\b|insert into|update .+ set /i,
  /password_?hash|scrypt\$|sealed|token_?hash/i,
  new RegExp(TEST_ADMIN.password),
];

let gateway: TestGateway;
let listeners: Listeners;
let url: string;
let directory: string;
let token: string;
let nodeToken: string;
let ids: Awaited<ReturnType<TestGateway['seed']>>;

beforeAll(async () => {
  gateway = await createTestGateway();
  ids = await gateway.seed();
  token = await gateway.signIn();
  nodeToken = await newNodeToken();
  // Over a real socket: requests that come from there are not made of the same objects as those of this process.
  directory = mkdtempSync(join(tmpdir(), 'sallyport-sweep-'));
  listeners = await openListeners({
    gateway: Promise.resolve(gateway),
    listen: { host: '127.0.0.1', port: 0 },
    socket: join(directory, 'gateway.sock'),
    workerUser: null,
  });
  url = `http://127.0.0.1:${listeners.port}`;
});
afterAll(async () => {
  await listeners.close();
  await gateway.stop();
  rmSync(directory, { recursive: true });
});
afterEach(() => {
  // What a client is not told of is not all right either.
  if (gateway.errors.length > 0) throw new AggregateError(gateway.errors, 'the gateway failed');
});

type Shaped = { shape?: Record<string, unknown>; def?: { innerType?: Shaped } };
const keysOf = (schema: unknown): string[] => {
  const { shape, def } = schema as Shaped;
  return shape === undefined ? (def?.innerType === undefined ? [] : keysOf(def.innerType)) : Object.keys(shape);
};
const bodyOf = (endpoint: Endpoint) => (endpoint.kind === 'call' ? endpoint.body : undefined);

/** An access token of the node `site`; a call may have made the one before useless. */
async function newNodeToken(): Promise<string> {
  const response = await gateway.fetch(`/api/nodes/${ids.siteId}/pats`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'sweep' }),
  });
  return ((await response.json()) as { token: string }).token;
}

/** The path of an endpoint with these values, or with those of things that exist. */
function pathOf({ path }: Endpoint, values: Record<string, string | number> = {}): string {
  const known: Record<string, string | number> = path.startsWith('/api/services')
    ? { nodeId: 1, id: ids.appId }
    : { id: path.startsWith('/api/domains') ? ids.domainId : ids.edgeId, tokenId: 1 };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? known[name]));
}

type Sent = { token?: string | null; body?: string | ReadableStream; headers?: Record<string, string>; query?: string };
type Answer = { status: number; text: string; error: ErrorBody | null };

async function send(endpoint: Endpoint, path: string, sent: Sent = {}): Promise<Answer> {
  // A node may not be refused too often.
  gateway.clock.advance(NODE_REFUSAL_EVERY_MS);
  const bearer = sent.token === undefined ? (endpoint.access === 'node' ? nodeToken : token) : sent.token;
  const response = await fetch(url + path + (sent.query ?? ''), {
    method: endpoint.method,
    headers: { ...sent.headers, ...(bearer !== null && { authorization: `Bearer ${bearer}` }) },
    ...(sent.body !== undefined && { body: sent.body, duplex: 'half' as const }),
  });
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.body?.cancel();
    return { status: response.status, text: '', error: null };
  }
  const text = await response.text();
  for (const forbidden of FORBIDDEN) expect(text).not.toMatch(forbidden);
  expect(response.status).not.toBe(500);
  if (response.status < 400) return { status: response.status, text, error: null };
  const body = check(errorBody, JSON.parse(text));
  if (!body.ok) throw new Error(`not an error body: ${text}`);
  expect(Object.keys(JSON.parse(text) as object).filter((key) => key !== 'errors')).toEqual([
    'status',
    'message',
    'requestId',
  ]);
  expect(response.headers.get('x-request-id')).toBe(body.value.requestId);
  return { status: response.status, text, error: body.value };
}

/** A body that the endpoint's schema allows, for those that have one. */
const VALID_BODY: Partial<Record<EndpointName, object>> = {
  'session.login': TEST_ADMIN,
  'session.changePassword': { currentPassword: 'not the password', newPassword: 'another password' },
  'node.create': { name: 'n' },
  'node.update': { name: 'n' },
  'domain.create': { domain: 'sweep.example.test', skipValidation: true },
  'domain.update': { ssl: 'self-signed' },
  'bulk.services': { action: 'disable', items: [{ type: 'http', id: 1 }] },
  'httpService.create': { name: 's', pathLocation: '/s', backendHost: '127.0.0.1' },
  'httpService.update': { name: 's' },
  'tcpService.create': { name: 's', backendPort: 22 },
  'tcpService.update': { name: 's' },
  'token.create': { name: 't' },
  'joinKey.create': { name: 'k' },
  'joinKey.redeem': { code: '0000-0000-0000-0000', claim: 'x'.repeat(20) },
  'apiToken.create': { name: 't', scope: ['nodes:read'] },
  'publicAddress.change': { host: '203.0.113.9' },
  'settings.changeProvider': { issuer: 'https://id.example.test', clientId: 'sallyport', clientSecret: 'secret' },
  'settings.changeAuthority': { url: 'https://acme.example.test/directory' },
  'settings.test': { service: 'identityProvider' },
  'cli.gateway': { gatewayNetwork: '192.0.2.0/24' },
  'cli.exposeHttp': { name: 's', pathLocation: '/s' },
  'cli.exposeTcp': { name: 's', backendPort: 22 },
  'cli.enableHttp': {},
  'cli.enableTcp': {},
  'cli.updateHttp': { name: 's' },
  'cli.updateTcp': { name: 's' },
};
const json = (value: unknown): Pick<Sent, 'body' | 'headers'> => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
});

const closed = endpoints.filter(({ endpoint }) => endpoint.access !== 'open');
const withParams = endpoints.filter(({ endpoint }) => endpoint.params !== undefined);
const withQuery = endpoints.filter(({ endpoint }) => endpoint.query !== undefined);
const withBody = endpoints.filter(({ endpoint }) => bodyOf(endpoint) !== undefined);

describe('every endpoint', () => {
  it('has a body to be tried with, when it takes one', () => {
    const missing = endpoints.filter(({ name, endpoint }) => bodyOf(endpoint) !== undefined && !(name in VALID_BODY));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it.each(closed)('$name refuses a caller without a token, or with a wrong one', async ({ endpoint }) => {
    for (const wrong of [null, 'sps_wrong', "' or 1=1 --", 'None']) {
      const { status, error } = await send(endpoint, pathOf(endpoint), { token: wrong, ...json({}).headers });
      expect(status).toBe(401);
      expect(error).not.toHaveProperty('errors');
    }
  });

  it.each(endpoints.filter(({ endpoint }) => endpoint.access === 'node'))(
    '$name is not for the administrator',
    async ({ endpoint }) => {
      expect((await send(endpoint, pathOf(endpoint), { token })).status).toBe(403);
    },
  );

  it.each(endpoints.filter(({ endpoint }) => endpoint.access === 'admin'))(
    '$name is not for the access token of a node',
    async ({ endpoint }) => {
      expect((await send(endpoint, pathOf(endpoint), { token: nodeToken })).status).toBe(403);
    },
  );

  it.each(withParams)('$name answers 422 for ids that are none, and names them', async ({ endpoint, name }) => {
    const param = keysOf(endpoint.params).at(-1) ?? '';
    for (const garbage of [
      'abc',
      '0',
      '-1',
      '1.5',
      '99999999999999999999',
      '1;drop',
      '%00',
      '%27',
      '%ff',
      '%',
      'null',
    ]) {
      const sent = name in VALID_BODY ? json(VALID_BODY[name]) : {};
      const { status, error } = await send(endpoint, pathOf(endpoint, { [param]: garbage }), sent);
      expect(status).toBe(422);
      expect(error?.errors?.params?.[0]?.field).toBe(param);
    }
  });

  it.each(withParams)('$name answers 404 for ids that no one has', async ({ endpoint, name }) => {
    const sent = name in VALID_BODY ? json(VALID_BODY[name]) : {};
    for (const param of keysOf(endpoint.params)) {
      const { status, error } = await send(endpoint, pathOf(endpoint, { [param]: UNKNOWN_ID }), sent);
      expect(status).toBe(404);
      expect(error?.message).toMatch(
        /^(?:Node not found!|Domain not found!|Service not found|Access token not found|API token not found|Join key not found|Session not found)$/,
      );
    }
  });

  it.each(withParams.filter(({ endpoint }) => endpoint.path.includes('{tokenId}')))(
    '$name answers 404 for the token of another node',
    async ({ endpoint }) => {
      const { status, error } = await send(endpoint, pathOf(endpoint, { id: ids.siteId }));
      expect(status).toBe(404);
      expect(error?.message).toBe('Access token not found');
    },
  );

  it.each(withQuery)('$name answers 422 for a query that it does not know', async ({ endpoint }) => {
    const given = keysOf(endpoint.query);
    const garbage = given.map((key) => `${key}=%00${key}`).join('&');
    // Where a name may be repeated, it is so with different values.
    for (const query of [`?nonsense=1`, `?${garbage}`, ...given.map((key) => `?${key}=1&${key}=1`)]) {
      const { status, error } = await send(endpoint, pathOf(endpoint), { query });
      expect(status).toBe(422);
      expect(error?.errors?.query?.length).toBeGreaterThan(0);
    }
  });

  it.each(withBody)('$name answers 400 for a body that is not JSON', async ({ endpoint }) => {
    for (const body of ['{', 'name=x', '\u0000', '<xml/>']) {
      const { status, error } = await send(endpoint, pathOf(endpoint), { body });
      expect(status).toBe(400);
      expect(error?.message).toBe('The body is not valid JSON');
    }
  });

  it.each(withBody)('$name answers 413 for a body over 1 MB, with and without its length', async ({ endpoint }) => {
    const text = JSON.stringify({ name: 'x'.repeat(1_000_000) });
    const chunked = new ReadableStream({
      start(controller) {
        for (let at = 0; at < text.length; at += 65_536)
          controller.enqueue(new TextEncoder().encode(text.slice(at, at + 65_536)));
        controller.close();
      },
    });
    for (const sent of [{ body: text, headers: { 'content-length': String(text.length) } }, { body: chunked }]) {
      expect((await send(endpoint, pathOf(endpoint), sent)).status).toBe(413);
    }
  });

  it.each(withBody.filter(({ endpoint }) => endpoint.access === 'open'))(
    '$name takes in no more than 16 kB, since anybody may send them',
    async ({ endpoint }) => {
      const text = JSON.stringify({ name: 'x'.repeat(16_000) });
      for (const body of [text, new Blob([text]).stream()]) {
        expect((await send(endpoint, pathOf(endpoint), { body })).status).toBe(413);
      }
    },
  );

  it.each(withBody)('$name answers 422 for what has the wrong shape, and names each field', async ({ endpoint }) => {
    const keys = keysOf(bodyOf(endpoint));
    for (const body of [[], 'text', 5, null]) {
      expect((await send(endpoint, pathOf(endpoint), json(body))).status).toBe(422);
    }
    const wrong = Object.fromEntries([...keys, 'nonsense'].map((key) => [key, { wrong: true }]));
    const { status, error } = await send(endpoint, pathOf(endpoint), json(wrong));
    expect(status).toBe(422);
    const named = error?.errors?.body?.map(({ field }) => field.split('.')[0]);
    expect(new Set(named)).toEqual(new Set([...keys, 'nonsense']));
  });

  it.each(withBody)('$name answers 422 in a few kB, whatever is wrong', async ({ endpoint }) => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1]));
    for (const body of [many, { ['k'.repeat(15_000)]: 1 }]) {
      const { status, error } = await send(endpoint, pathOf(endpoint), json(body));
      expect(status).toBe(422);
      expect(JSON.stringify(error).length).toBeLessThan(8000);
    }
    const { error } = await send(endpoint, pathOf(endpoint), json(many));
    expect(error?.errors?.body?.at(-1)).toEqual({ field: '', message: 'There are more problems than these 50' });
  });

  it.each(withBody)(
    '$name never fails on a body that has the right fields and any values',
    async ({ endpoint, name }) => {
      const values = Object.fromEntries(keysOf(bodyOf(endpoint)).map((key) => [key, garbage]));
      await fc.assert(
        fc.asyncProperty(fc.record(values, { requiredKeys: [] }), async (body) => {
          const { status } = await send(endpoint, pathOf(endpoint), json({ ...VALID_BODY[name], ...body }));
          expect([200, 400, 401, 404, 422, 429]).toContain(status);
        }),
        { numRuns: 40, seed: 20_261_121 },
      );
    },
  );
});

/** Values that are likely to be understood, and those that are likely to be misunderstood. */
const garbage: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)) }),
  fc.integer(),
  fc.constantFrom(
    '',
    null,
    true,
    '999999999d',
    '10.88.0.1',
    '10.88.255.255',
    '10.88.3.4/32',
    '::ffff:1.2.3.4',
    "x'; drop table nodes; --",
    '\ud800',
    'app.example.test',
    'a'.repeat(5000),
    Number.MAX_SAFE_INTEGER,
    1e308,
    -0,
    ['10.0.0.0/8'],
    ['a@b'],
    [{ interface: 'eth0', subnet: '10.88.0.0/24' }],
    { __proto__: null, constructor: 'x' },
  ),
);

describe('a path that no one knows', () => {
  it.each(['/api', '/api/', '/api/nope', '/api/nodes/1/nope', '/nope', '/api/../etc/passwd', '/%2e%2e/etc/passwd'])(
    '%s answers 404 in JSON',
    async (path) => {
      const { status, error } = await send({ method: 'GET' } as Endpoint, path);
      expect(status).toBe(404);
      expect(error?.message).toBe('Not found');
    },
  );
});
