import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createWebServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { HttpServiceInput, TcpServiceInput } from '@sallyport/sdk/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateFile, visit } from '../testing/reconcileTrial.ts';
import { openSignInTrial, type SignInTrial } from '../testing/signInTrial.ts';
import { askTcp, startUdpBackend } from '../testing/tcpTrial.ts';

// One field is changed by a call, and what comes over the wire is looked at before and after. A field that the contract
// gets needs a case here, or this does not compile; the other tests of the ingress look at each more closely.

const HOST = 'fields.example.test';
/** Visitors of `HOST` sign in, so no TCP service has its certificate. */
const TLS_HOST = 'tls.example.test';
const OTHER_HOST = 'moved.example.test';
const OTHER_ADDRESS = '127.0.0.2';
const NOBODY = '192.0.2.0/24';
const CLOSED_LIMIT_MS = 20_000;
/** More than the cases take. */
const PORTS_AHEAD = 20;
const backend = { backendHost: '127.0.0.1' };

/** What a visitor gets before a field is changed, the change, and what they get after it. */
type Case = {
  first?: object;
  change: object;
  look(service: Service): Promise<string>;
  before: string;
  after: string;
};
type Service = { id: number; port: number };

let scene: SignInTrial;
let trial: SignInTrial['trial'];
/** `a` at one address and `b` at the same port of another; `c` at a port of its own; one that speaks TLS. */
let web: { port: number; other: number; secure: number };
let tcp: { port: number; other: number };
let udp: Awaited<ReturnType<typeof startUdpBackend>>;
let freePort = 0;
const servers: Server[] = [];

async function listening<T extends Server>(server: T, port = 0, host = '127.0.0.1'): Promise<number> {
  servers.push(server);
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}
const says =
  (word: string): RequestListener =>
  (_request, response) =>
    void response.setHeader('connection', 'close').end(word);
const tells = (word: string): Server =>
  createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(word);
  });

beforeAll(async () => {
  scene = await openSignInTrial([HOST]);
  trial = scene.trial;
  await scene.addDomain(HOST);
  const pair = readFileSync(certificateFile(trial, HOST));
  const port = await listening(createWebServer(says('a')));
  await listening(createWebServer(says('b')), port, OTHER_ADDRESS);
  web = {
    port,
    other: await listening(createWebServer(says('c'))),
    secure: await listening(createSecureServer({ cert: pair, key: pair }, says('secure'))),
  };
  const tcpPort = await listening(tells('a'));
  await listening(tells('b'), tcpPort, OTHER_ADDRESS);
  tcp = { port: tcpPort, other: await listening(tells('c')) };
  udp = await startUdpBackend();
  // One of those that the gateway may hand out, and has not yet.
  const { body } = await trial.api('POST /api/services/1/tcp', { name: 'First', ...backend, backendPort: tcp.port });
  await trial.api(`DELETE /api/services/1/tcp/${Number(body['id'])}`);
  freePort = Number(body['port']) + PORTS_AHEAD;
}, 60_000);
afterAll(async () => {
  await scene?.close();
  for (const server of servers) server.close();
});

async function seen(host = HOST, path = '/'): Promise<string> {
  const { status, body } = await visit(trial, host, { path, headers: { 'sec-fetch-mode': 'cors' } });
  return status === 200 ? body : String(status);
}
const heard = ({ port }: { port: number }): Promise<string> =>
  askTcp(port, '').then(
    (words) => words || 'let go',
    () => 'refused',
  );
/** A port that is closed says so to a socket that is connected to it. */
async function overUdp({ port }: Service): Promise<string> {
  const socket = createSocket('udp4');
  try {
    socket.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const answer = once(socket, 'message');
    socket.send('packet');
    return await answer.then(
      () => 'answer',
      () => 'closed',
    );
  } finally {
    socket.close();
  }
}
async function overTls({ port }: Service): Promise<string> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    return [socket.getPeerCertificate().subject.CN].flat()[0] ?? '';
  } catch {
    return 'no TLS';
  } finally {
    socket.destroy();
  }
}

/** What is seen before and after the change; what ends by itself is waited for. */
async function tried(type: 'http' | 'tcp', first: object, { change, look, after }: Case) {
  const created = await trial.api(`POST /api/services/1/${type}`, first);
  const service = { id: Number(created.body['id']), port: Number(created.body['port']) };
  try {
    const before = await look(service);
    const changed = await trial.api(`PATCH /api/services/1/${type}/${service.id}`, change);
    const deadline = Date.now() + ('ttl' in change ? CLOSED_LIMIT_MS : 0);
    let seenAfter = await look(service);
    while (seenAfter !== after && Date.now() < deadline) seenAfter = await look(service);
    return { statuses: [created.status, changed.status], before, after: seenAfter };
  } finally {
    await trial.api(`DELETE /api/services/1/${type}/${service.id}`);
  }
}

const atRoot = () => seen();

/** Of what is written for people visitors notice nothing, and nginx reads nothing: it is not loaded again. */
function unnoticed(change: Case['change'], look: Case['look']): Case {
  const generation = (): number => trial.reconciler.state().generation;
  let first: number | null = null;
  return {
    change,
    look: async (service) => {
      first ??= generation();
      return `${await look(service)}, ${generation() - first} generations later`;
    },
    before: 'a, 0 generations later',
    after: 'a, 0 generations later',
  };
}
const NOTES = 'Asks for\n"quotes"; } and $variables.';

const ofHttp: Record<keyof HttpServiceInput, () => Case> = {
  name: () => unnoticed({ name: 'Another' }, atRoot),
  tags: () => unnoticed({ tags: ['home', '"; }'] }, atRoot),
  notes: () => unnoticed({ notes: NOTES }, atRoot),
  domain: () => ({
    change: { domain: OTHER_HOST },
    look: async () => `${await seen()} ${await seen(OTHER_HOST).catch(() => 'no certificate')}`,
    before: 'a no certificate',
    after: '404 a',
  }),
  pathLocation: () => ({
    change: { pathLocation: '/deeper' },
    look: async () => `${await seen(HOST, '/x')} ${await seen(HOST, '/deeper/x')}`,
    before: 'a a',
    after: '404 a',
  }),
  backendProto: () => ({
    first: { backendPort: web.secure },
    change: { backendProto: 'https' },
    look: atRoot,
    before: '502',
    after: 'secure',
  }),
  backendHost: () => ({ change: { backendHost: OTHER_ADDRESS }, look: atRoot, before: 'a', after: 'b' }),
  backendPort: () => ({ change: { backendPort: web.other }, look: atRoot, before: 'a', after: 'c' }),
  allowedIps: () => ({ change: { allowedIps: [NOBODY] }, look: atRoot, before: 'a', after: '403' }),
  blockedIps: () => ({ change: { blockedIps: ['127.0.0.1'] }, look: atRoot, before: 'a', after: '403' }),
  requireAuth: () => ({ change: { requireAuth: true }, look: atRoot, before: 'a', after: '401' }),
  skipAuthRoutes: () => ({
    first: { requireAuth: true },
    change: { skipAuthRoutes: '/public' },
    look: async () => `${await seen(HOST, '/public')} ${await seen(HOST, '/other')}`,
    before: '401 401',
    after: 'a 401',
  }),
  ttl: () => ({ change: { ttl: '1s' }, look: atRoot, before: 'a', after: '404' }),
};

const ofTcp: Record<keyof TcpServiceInput, () => Case> = {
  name: () => unnoticed({ name: 'Another' }, heard),
  tags: () => unnoticed({ tags: ['home', '"; }'] }, heard),
  notes: () => unnoticed({ notes: NOTES }, heard),
  domain: () => ({
    first: { domain: TLS_HOST, ssl: true },
    change: { domain: OTHER_HOST },
    look: overTls,
    before: TLS_HOST,
    after: OTHER_HOST,
  }),
  proto: () => ({
    first: { backendPort: udp.port },
    change: { proto: 'udp' },
    look: async (service) => `${await heard(service)} ${await overUdp(service)}`,
    before: 'let go closed',
    after: 'refused answer',
  }),
  backendHost: () => ({ change: { backendHost: OTHER_ADDRESS }, look: heard, before: 'a', after: 'b' }),
  backendPort: () => ({ change: { backendPort: tcp.other }, look: heard, before: 'a', after: 'c' }),
  port: () => ({
    change: { port: freePort },
    look: async (service) => `${await heard(service)} ${await heard({ port: freePort })}`,
    before: 'a refused',
    after: 'refused a',
  }),
  ssl: () => ({ change: { ssl: true }, look: overTls, before: 'no TLS', after: 'sallyport-tcp-services' }),
  allowedIps: () => ({ change: { allowedIps: [NOBODY] }, look: heard, before: 'a', after: 'let go' }),
  blockedIps: () => ({ change: { blockedIps: ['127.0.0.1'] }, look: heard, before: 'a', after: 'let go' }),
  ttl: () => ({ change: { ttl: '1s' }, look: heard, before: 'a', after: 'refused' }),
};

describe('of an HTTP service', () => {
  it.each(Object.keys(ofHttp) as (keyof typeof ofHttp)[])('%s does on the wire what it says', async (field) => {
    const one = ofHttp[field]();
    const body = { name: 'Field', domain: HOST, ...backend, backendPort: web.port, ...one.first };
    expect(await tried('http', body, one)).toEqual({ statuses: [200, 200], before: one.before, after: one.after });
  });
});

describe('of a TCP service', () => {
  it.each(Object.keys(ofTcp) as (keyof typeof ofTcp)[])('%s does on the wire what it says', async (field) => {
    const one = ofTcp[field]();
    const body = { name: 'Field', ...backend, backendPort: tcp.port, ...one.first };
    expect(await tried('tcp', body, one)).toEqual({ statuses: [200, 200], before: one.before, after: one.after });
  });

  it('the public address is where it is reached', async () => {
    for (const [more, look] of [
      [{}, heard],
      [{ proto: 'udp', backendPort: udp.port }, overUdp],
    ] as const) {
      const { body } = await trial.api('POST /api/services/1/tcp', {
        name: 'Public',
        ...backend,
        backendPort: tcp.port,
        ...more,
      });
      const { protocol, hostname, port } = new URL(String(body['publicAccess']));
      expect(hostname).toBe('gateway.test');
      expect(protocol).toBe(`${String(body['proto'])}:`);
      expect(await look({ id: Number(body['id']), port: Number(port) })).toBe(look === heard ? 'a' : 'answer');
      await trial.api(`DELETE /api/services/1/tcp/${Number(body['id'])}`);
    }
  });
});
