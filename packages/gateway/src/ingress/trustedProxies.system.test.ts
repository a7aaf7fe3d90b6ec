import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { Agent } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  certificateFile,
  expose,
  openReconcileTrial,
  PORTS,
  type ReconcileTrial,
  save,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { aNode } from '../testing/storedRows.ts';
import { openHttp2, openSocket } from '../testing/wire.ts';

// Who a visitor is for nginx, when the connection is that of a proxy in front: trusted ones come from 127.0.0.2 and 127.0.3.0/24.

const HOST = 'app.example.test';
const NODE_ADDRESS = '127.0.0.4';
const PROXY = '127.0.0.2';
const STRANGER = '127.0.0.9';
const VISITOR = '203.0.113.9';
const FORGED = '198.51.100.66';
const CONNECTIONS = 1024;
/** Of `CONNECTIONS`: so many requests of one visitor the console has at once. */
const OF_A_VISITOR = CONNECTIONS / 128;

type Headers = Record<string, string | string[]>;

let trial: ReconcileTrial;
let id: number;

beforeAll(async () => {
  trial = await openReconcileTrial({
    tunnel: true,
    trustedProxies: ['127.0.0.2/32', '127.0.3.0/24'],
    publicHttpsPort: 443,
    connections: CONNECTIONS,
  });
  const backend = await startBackend((incoming, response) => response.end(JSON.stringify(incoming.headers)));
  ({ id } = (await expose(trial, HOST, backend.port)).value);
});
afterAll(() => trial.close());

const through = (localAddress: string, headers: Headers, path = '/') =>
  visit(trial, HOST, { localAddress, headers: { 'x-forwarded-proto': 'https', ...headers }, path });

/** What the backend is told. */
async function told(localAddress: string, headers: Headers): Promise<Record<string, string>> {
  const { status, body } = await through(localAddress, headers);
  expect(status).toBe(200);
  return JSON.parse(body) as Record<string, string>;
}

it.each<[from: string, what: string, headers: Headers, visitor: string]>([
  [PROXY, 'names a visitor', { 'x-forwarded-for': VISITOR }, VISITOR],
  [PROXY, 'names one of IPv6', { 'x-forwarded-for': '2001:db8::7' }, '2001:db8::7'],
  [PROXY, 'names one with a port', { 'x-forwarded-for': `${VISITOR}:50123` }, VISITOR],
  [PROXY, 'adds to what the visitor sent', { 'x-forwarded-for': `${FORGED}, ${VISITOR}` }, VISITOR],
  [PROXY, 'adds a header of its own', { 'x-forwarded-for': [FORGED, VISITOR] }, VISITOR],
  [PROXY, 'stands behind another one', { 'x-forwarded-for': `${FORGED}, ${VISITOR}, 127.0.3.7` }, VISITOR],
  [PROXY, 'adds to what is no address', { 'x-forwarded-for': `unknown, ${VISITOR}` }, VISITOR],
  [PROXY, 'names no one', {}, PROXY],
  [PROXY, 'names no address', { 'x-forwarded-for': 'unknown' }, PROXY],
  [PROXY, 'passes an underscore on', { x_forwarded_for: FORGED, 'x-forwarded-for': VISITOR }, VISITOR],
  [PROXY, 'names one with an underscore alone', { x_forwarded_for: FORGED }, PROXY],
  [
    PROXY,
    'passes other words for it on',
    { 'x-real-ip': FORGED, forwarded: `for=${FORGED}`, 'cf-connecting-ip': FORGED, 'x-forwarded-for': VISITOR },
    VISITOR,
  ],
  [STRANGER, 'names a visitor', { 'x-forwarded-for': VISITOR }, STRANGER],
  [STRANGER, 'names a proxy', { 'x-forwarded-for': `${VISITOR}, ${PROXY}` }, STRANGER],
  [STRANGER, 'has an underscore', { x_forwarded_for: VISITOR, 'x-real-ip': VISITOR }, STRANGER],
])('%s %s: the visitor is the right one', async (from, _what, headers, visitor) => {
  const heard = await told(from, headers);
  expect([heard['x-real-ip'], heard['x-forwarded-for']]).toEqual([visitor, visitor]);
  for (const name of ['x_forwarded_for', 'forwarded', 'cf-connecting-ip']) expect(heard).not.toHaveProperty(name);
});

it('tells the visitors on one connection of a proxy apart', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const visitor of [VISITOR, '203.0.113.10', VISITOR]) {
    const how = { localAddress: PROXY, agent, headers: { 'x-forwarded-for': visitor } };
    const { body } = await visit(trial, HOST, how);
    expect(JSON.parse(body)).toMatchObject({ 'x-real-ip': visitor });
  }
  agent.destroy();
});

describe("a node's service behind a proxy, whose connections are for all names", () => {
  const name = 'node.example.test';
  const asked = (headers: string, host = name): string => `GET / HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;
  let answer = '';
  let far: Server;
  beforeAll(async () => {
    far = createTcpServer((socket) => void socket.on('error', () => undefined).on('data', () => socket.write(answer)));
    far.listen(0, NODE_ADDRESS);
    await once(far, 'listening');
    const { port } = far.address() as AddressInfo;
    const { value: nodeId } = await save(
      trial,
      async (tx) => (await tx.nodes.create({ ...aNode, address: NODE_ADDRESS })).id,
    );
    await expose(trial, name, 0, { nodeId, backendPort: port });
  });
  afterAll(() => far?.close());

  const UPGRADE = 'Connection: keep-alive, Upgrade\r\nUpgrade: x\r\n';
  const AGREED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n';
  const BARE = 'HTTP/1.1 101 S\r\n\r\n';
  const RESET = 'HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n';

  /** The head of the answer, and the connection, with what else comes. */
  async function ask(headers: string) {
    const socket = await openSocket(trial, name, { localAddress: PROXY });
    socket.write(asked(headers));
    const [head] = (await once(socket, 'data')) as [Buffer];
    return { socket, head: String(head) };
  }

  // A client of the proxy's that takes such an answer for a whole one would have the next visitor's from the same backend.
  it.each([
    ['a protocol that no one asked for', '', AGREED],
    ['no protocol where one was asked for', UPGRADE, BARE],
    ['a reset', '', RESET],
    ['a reset of an upgrade', UPGRADE, RESET],
  ])('has the proxy use a connection no more after %s', async (_what, headers, said) => {
    answer = said;
    const { socket, head } = await ask(headers);
    socket.destroy();
    expect(head).toMatch(/^Connection: close\r$/m);
  });

  // The proxy is a tunnel then, and the visitor at its other end could name any visitor.
  it.each([
    ['an answer without a length', BARE],
    ['an empty answer', 'HTTP/1.1 101 S\r\nContent-Length: 0\r\n\r\n'],
    ['a whole answer', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ])('hears nothing after it on the connection: %s', async (_what, said) => {
    answer = said;
    const { socket } = await ask('');
    socket.write(asked(`X-Forwarded-For: ${FORGED}\r\nX-Forwarded-Proto: https\r\n`, HOST));
    socket.setTimeout(2000, () => socket.destroy());
    expect(await text(socket).catch(() => '')).not.toContain(FORGED);
  });

  it('makes no tunnel for a visitor who asks for one by half', async () => {
    answer = AGREED;
    const { socket, head } = await ask('Upgrade: x\r\n');
    socket.destroy();
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    const whole = await ask(UPGRADE);
    whole.socket.destroy();
    expect(whole.head).toMatch(/^HTTP\/1\.1 101 /);
    expect(whole.head).not.toMatch(/close/i);
  });
});

// nginx ends a whole connection of HTTP/2 for one header that is too long: a proxy's is for all visitors.
it('offers HTTP/1.1 alone where proxies come', async () => {
  const ca = readFileSync(certificateFile(trial, HOST));
  const socket = connect({
    host: '127.0.0.1',
    port: PORTS.https,
    servername: HOST,
    ca,
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  await once(socket, 'secureConnect');
  expect(socket.alpnProtocol).toBe('http/1.1');
  socket.destroy();
});

it('writes the visitor into the log', async () => {
  await through(PROXY, { 'x-forwarded-for': `${FORGED}, ${VISITOR}` }, '/logged');
  await through(STRANGER, { 'x-forwarded-for': FORGED }, '/logged');
  await vi.waitFor(() => {
    const lines = readFileSync(trial.ingress.layout.accessLog, 'utf8').split('\n');
    const visitors = lines
      .filter((line) => line.includes('/logged'))
      .map((line) => (JSON.parse(line) as { c: string }).c);
    expect(visitors.toSorted()).toEqual([STRANGER, VISITOR]);
  });
});

const others = Array.from({ length: 40 }, (_, index) => `192.0.2.${index}`);

describe.each([
  ['short', []],
  ['long', others],
])('%s lists of addresses', (_length, more) => {
  const statuses = async (...asked: [from: string, named: string | null][]): Promise<number[]> => {
    const answers: number[] = [];
    for (const [from, named] of asked) {
      answers.push((await through(from, named === null ? {} : { 'x-forwarded-for': named })).status);
    }
    return answers;
  };

  it('let allowed visitors in, and no one who says to be one', async () => {
    await save(trial, (tx) =>
      tx.httpServices.update(id, { allowedIps: ['203.0.113.0/24', ...more], blockedIps: null }),
    );
    const let_ = await statuses(
      [PROXY, VISITOR],
      [PROXY, `::ffff:${VISITOR}`],
      [PROXY, FORGED],
      [PROXY, `${VISITOR}, ${FORGED}`],
      [PROXY, null],
      [STRANGER, VISITOR],
    );
    expect(let_).toEqual([200, 200, 403, 403, 403, 403]);
  });

  it('keep blocked visitors out, however they are spelled and whatever they say before it', async () => {
    await save(trial, (tx) => tx.httpServices.update(id, { allowedIps: null, blockedIps: [VISITOR, ...more] }));
    const let_ = await statuses(
      [PROXY, VISITOR],
      [PROXY, `::ffff:${VISITOR}`],
      [PROXY, `${FORGED}, ${VISITOR}`],
      [PROXY, FORGED],
    );
    expect(let_).toEqual([403, 403, 403, 200]);
  });

  afterAll(() => save(trial, (tx) => tx.httpServices.update(id, { allowedIps: null, blockedIps: null })));
});

it('tells backends the port of visitors, and takes no word on who signed in from a proxy either', async () => {
  const claims = {
    'x-forwarded-for': VISITOR,
    'x-forwarded-port': '1',
    'x-forwarded-host': 'other.example.test',
    'x-forwarded-user': 'boss',
    'remote-user': 'boss',
    'x-auth-email': 'boss@example.test',
  };
  const [proxied, direct] = [await told(PROXY, claims), await told(STRANGER, claims)];
  expect([proxied['x-forwarded-port'], direct['x-forwarded-port']]).toEqual(['443', String(PORTS.https)]);
  for (const heard of [proxied, direct]) {
    expect(heard['x-forwarded-proto']).toBe('https');
    expect(heard['x-forwarded-host']).toBe(`${HOST}:${PORTS.https}`);
    for (const name of ['x-forwarded-user', 'remote-user', 'x-auth-email']) expect(heard).not.toHaveProperty(name);
  }
  // The port by which visitors are known to come, and no other that one of them names.
  for (const [port, known] of [
    [443, ':443'],
    [20_005, ''],
  ]) {
    expect((await told(PROXY, { ...claims, host: `${HOST}:${port}` }))['host']).toBe(`${HOST}${known}`);
  }
});

describe('a visitor who came to the proxy', () => {
  const leadsOn = (status: number) => (status === 308 ? `https://${HOST}/a?b` : undefined);

  it.each<[from: string, proto: string | undefined, status: number]>([
    [PROXY, 'http', 308],
    [PROXY, 'HTTP', 308],
    [PROXY, 'http, https', 308],
    [PROXY, 'https', 200],
    [PROXY, 'https, http', 200],
    [PROXY, undefined, 200],
    [STRANGER, 'http', 200],
  ])('from %s by %s gets %d at the port of HTTPS', async (localAddress, proto, expected) => {
    const headers = { 'x-forwarded-for': VISITOR, ...(proto !== undefined && { 'x-forwarded-proto': proto }) };
    const { status, headers: answered } = await visit(trial, HOST, { localAddress, headers, path: '/a?b' });
    expect(answered['cache-control']).toBe(expected === 308 ? 'private' : undefined);
    expect([status, answered.location]).toEqual([expected, leadsOn(expected)]);
  });

  it.each<[from: string, proto: string | undefined, status: number, text: string]>([
    [PROXY, undefined, 308, ''],
    [PROXY, 'http', 308, ''],
    // It would be sent to where it is, without end.
    [PROXY, 'https', 421, `Have it speak HTTPS to port ${PORTS.https}.`],
    [STRANGER, 'https', 308, ''],
  ])('from %s by %s gets %d at the port of plain HTTP', async (localAddress, proto, expected, words) => {
    const headers = { host: HOST, ...(proto !== undefined && { 'x-forwarded-proto': proto }) };
    const sent = request({
      host: '127.0.0.1',
      port: PORTS.http,
      localAddress,
      path: '/a?b',
      headers,
      agent: false,
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body = await text(response);
    expect([response.statusCode, response.headers.location]).toEqual([expected, leadsOn(expected)]);
    expect(body).toContain(words);
  });
});

describe('the console', () => {
  const server = createServer((incoming, response) => {
    // A sign-in that never ends.
    if (incoming.method !== 'POST') response.end(JSON.stringify(incoming.headers));
  });

  beforeAll(async () => {
    const socket = trial.ingress.layout.gatewaySocket;
    await once(server.listen(socket), 'listening');
    chmodSync(socket, 0o666);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('knows the visitor for its sign-ins, and has a bound for each', async () => {
    const session = await openHttp2(trial, 'gateway.test', { port: PORTS.console, localAddress: PROXY });
    const ask = (method: string, visitor: string) => {
      const authority = `gateway.test:${PORTS.console}`;
      const headers = { ':method': method, ':path': '/', ':authority': authority, 'x-forwarded-for': visitor };
      return session.request(headers, { endStream: method === 'GET' }).on('error', () => undefined);
    };
    const answer = async (visitor: string): Promise<unknown> => {
      const stream = ask('GET', visitor);
      const [{ ':status': status }] = (await once(stream, 'response')) as [Record<string, number>];
      const body = await text(stream);
      return status === 200 ? (JSON.parse(body) as Record<string, string>)['x-real-ip'] : status;
    };
    // In the spelling of IPv6, too, which must not make one visitor of all.
    for (const [one, other] of [
      [VISITOR, '203.0.113.10'],
      ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
    ] as const) {
      expect(await answer(one)).toBe(one);
      const held = Array.from({ length: OF_A_VISITOR }, () => ask('POST', one));
      await new Promise<void>((seen) => session.ping(() => seen()));
      expect([await answer(one), await answer(other)]).toEqual([503, other]);
      for (const stream of held) stream.destroy();
    }
    session.destroy();
  });
});
