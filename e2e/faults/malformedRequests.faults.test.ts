import * as fc from 'fast-check';
import { Agent, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { extent, report, SEED, tally } from '../support/fault.ts';
import { gatewayMemory, megabytes, WITH_MEMORY } from '../support/memory.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { type Endpoint, type EndpointName, endpoints } from '@sallyport/sdk';

const REQUESTS = extent(2000, 20_000);
/** A program that has done little yet still grows by the code that it compiles: a tenth of a short way is too early. */
const WARM_UP = extent(1000, 0);
const ANSWER_LIMIT_MS = 20_000;
/** What may be left at the end of what there was at a tenth of the way. */
const MEMORY_RATIO_MAX = extent(1.2, 1.1);

let scene: Scene;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  scene = await openScene(WITH_MEMORY);
});
afterAll(async () => {
  agent.destroy();
  await scene?.close();
});

type Answer = { status: number; body: string };

/** Sends it over a real socket and takes in the answer; of a stream only that it begins. */
function send({ method, path, headers, body }: MalformedRequest): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request({
    host: '127.0.0.1',
    port: scene.gateway.ports.api,
    agent,
    method,
    path,
    headers: { ...headers, ...(body !== null && { 'content-length': body.byteLength }) },
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  sent.once('error', reject);
  sent.once('response', (response) => {
    const status = response.statusCode ?? 0;
    if (response.headers['content-type'] === 'text/event-stream') {
      resolve({ status, body: '' });
      response.destroy();
      return;
    }
    textOf(response).then((answer) => resolve({ status, body: answer }), reject);
  });
  sent.end(body ?? undefined);
  return promise;
}

test(`${REQUESTS} malformed requests made from the contract`, { timeout: extent(240_000, 600_000) }, async () => {
  const { pid } = scene.gateway.child();
  const statuses: number[] = [];
  let memoryBefore = 0;
  await fc.assert(
    fc.asyncProperty(malformedRequest(scene.token), async (malformed) => {
      const { status, body } = await send(malformed);
      statuses.push(status);
      expect(status, `${malformed.method} ${malformed.path}: ${status} ${body}`).toBeLessThan(500);
      if (statuses.length === WARM_UP + REQUESTS / 10) memoryBefore = await gatewayMemory(scene.gateway);
    }),
    { numRuns: WARM_UP + REQUESTS, seed: SEED },
  );
  const memoryAfter = await gatewayMemory(scene.gateway);
  report(
    'malformed requests',
    `${statuses.length} over a real socket, answered with ${tally(statuses)}; ${megabytes(memoryBefore)} of memory at a tenth of the way, ${megabytes(memoryAfter)} at the end`,
    'nothing',
  );
  expect(scene.gateway.child().pid).toBe(pid);
  expect(scene.gateway.child().exitCode).toBeNull();
  expect((await scene.client.system.health()).status).toBe('ok');
  expect(memoryAfter / memoryBefore).toBeLessThanOrEqual(MEMORY_RATIO_MAX);
});

/** A request as it goes over the wire. */
type MalformedRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
};

type Shaped = { shape?: Record<string, unknown>; def?: { innerType?: Shaped } };

/** The fields of an object's schema. */
function keysOf(schema: unknown): string[] {
  const { shape, def } = (schema ?? {}) as Shaped;
  if (shape !== undefined) return Object.keys(shape);
  return def?.innerType === undefined ? [] : keysOf(def.innerType);
}

const HOSTILE = [
  '',
  '0',
  '-1',
  '1',
  '2',
  '1e3',
  '0x10',
  '99999999999999999999',
  'null',
  'NaN',
  '../../etc/passwd',
  "x'; drop table nodes; --",
  '\u0000',
  '\r\nSet-Cookie: a=b',
  '${jndi:ldap://x}',
  '{{7*7}}',
  '__proto__',
  'constructor',
  '\ud800',
  '\u202e',
  '10.88.0.1',
  '::ffff:1.2.3.4',
  '999999999d',
  '/a b;return 200;}',
  '~^/(.+)+$',
  'a'.repeat(5000),
];

const word = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
  fc.string({ unit: 'binary', maxLength: 60 }),
);
const id = fc.oneof(fc.constantFrom('1', '2', '3', '7'), word);

/** A value of the wrong kind, mostly. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  word,
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, false, [], {}, -0, 1e308, Number.MAX_SAFE_INTEGER),
  fc.array(word, { maxLength: 5 }),
  fc.constantFrom(['10.0.0.0/8'], ['a@b'], [{ interface: 'eth0', subnet: '10.88.0.0/24' }], { gte: 1 }),
);

const escaped = (text: string): string => encodeURIComponent(text.toWellFormed());
/** Parts of a path or query that are escaped as they should be, twice, or wrongly. */
const segment = fc.oneof(
  id.map(escaped),
  id.map((text) => escaped(escaped(text))),
  fc.constantFrom('%', '%ff', '%00', '%2e%2e', '%c0%af', '..', '.', '//', ';x=1', '%u0041'),
);

/** A header's value may hold no line break and no other control character. */
const headerText = word.map((text) => text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?').slice(0, 4000));

function bodyOf(endpoint: Endpoint): fc.Arbitrary<Buffer | null> {
  const keys = endpoint.kind === 'call' ? keysOf(endpoint.body) : [];
  const object = fc.record(Object.fromEntries([...keys, 'nonsense'].map((key) => [key, value])), { requiredKeys: [] });
  const text = fc.oneof(
    { weight: 6, arbitrary: object.map((body) => JSON.stringify(body)) },
    // What breaks off in its middle.
    { weight: 2, arbitrary: object.map((body) => JSON.stringify(body).slice(0, -1)) },
    { weight: 1, arbitrary: value.map((body) => JSON.stringify(body) ?? '') },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }).map((depth) => '['.repeat(depth)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...keys, 'name').map((key) => `{"${key}":1,"${key}":"","__proto__":{"a":1}}`),
    },
  );
  return fc.oneof(
    { weight: 10, arbitrary: text.map((body) => Buffer.from(body)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

function headersOf(name: EndpointName, token: string): fc.Arbitrary<Record<string, string>> {
  const wrong = fc.oneof(
    headerText,
    headerText.map((text) => `Bearer ${text}`),
    fc.constantFrom('Bearer', 'Basic YTpi'),
  );
  const right = fc.constant(`Bearer ${token}`);
  // Each of these is refused before anything else is looked at, so few get it.
  const foreign = fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fc.record({ origin: headerText }));
  const headers = fc
    .record(
      {
        // With the right token, so that most of them come further than the door; but never to sign it out.
        authorization: name === 'session.logout' ? wrong : fc.oneof({ weight: 6, arbitrary: right }, wrong),
        'content-type': fc.oneof(fc.constant('application/json'), headerText),
        'if-match': headerText,
        'last-event-id': headerText,
        cookie: headerText,
        'x-forwarded-for': headerText,
        accept: headerText,
      },
      { requiredKeys: name === 'session.logout' ? [] : ['authorization'] },
    )
    .filter(({ cookie }) => cookie === undefined || !cookie.includes(token));
  return fc.tuple(headers, foreign).map(([all, more]) => Object.assign(all, more));
}

function pathOf(endpoint: Endpoint): fc.Arbitrary<string> {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param);
  const params = fc.tuple(...names.map(() => segment));
  const keys = [...keysOf(endpoint.query), 'nonsense', 'token'];
  const query = fc.array(fc.tuple(fc.constantFrom(...keys), segment), { maxLength: 4 });
  return fc.tuple(params, query).map(([segments, pairs]) => {
    let at = 0;
    const path = endpoint.path.replaceAll(/\{\w+\}/g, () => segments[at++] ?? '');
    return pairs.length === 0 ? path : `${path}?${pairs.map(([key, text]) => `${key}=${text}`).join('&')}`;
  });
}

/** Requests that no endpoint of the contract should take, each shaped after one of them. */
function malformedRequest(token: string): fc.Arbitrary<MalformedRequest> {
  return fc.oneof(
    ...endpoints.map(({ name, endpoint }) =>
      fc.record({
        method: fc.oneof(
          { weight: 8, arbitrary: fc.constant<string>(endpoint.method) },
          fc.constantFrom('PUT', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE'),
        ),
        path: pathOf(endpoint),
        headers: headersOf(name, token),
        body: bodyOf(endpoint),
      }),
    ),
  );
}
