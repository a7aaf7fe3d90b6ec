import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureSelfSigned } from '../certificates/selfSigned.ts';
import { rsaPair } from '../testing/certificateAuthority.ts';
import {
  expose,
  openReconcileTrial,
  type ReconcileTrial,
  save,
  startBackend,
  type Visited,
  visit,
} from '../testing/reconcileTrial.ts';
import { openSocket, rawRequest } from '../testing/wire.ts';

let trial: ReconcileTrial;
const stops: (() => unknown)[] = [];
const host = 'backends.example.test';
/** An answer that takes as long as nginx waits for a connection. */
let tooSlow: Promise<Visited>;

beforeAll(async () => {
  trial = await openReconcileTrial({
    // The first address of `two` is loopback too, and no one listens there.
    resolve: async (name) => {
      if (name === 'two.example.test') return ['127.0.0.2', '127.0.0.1'];
      throw new Error('unknown');
    },
  });
  await expose(trial, host, await deafPort(), { pathLocation: '/slow' });
  tooSlow = visit(trial, host, { path: '/slow?token=s3cret' });
});
afterAll(async () => {
  await trial.close();
  for (const stop of stops) await stop();
});

/** A port that takes no connection and refuses none: a listener that is asleep, and its queue full. */
async function deafPort(): Promise<number> {
  const script = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    process.stdout.write(String(server.address().port) + '\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
  const sleeper: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  stops.push(() => sleeper.kill('SIGKILL'));
  const [said] = (await once(sleeper.stdout ?? sleeper, 'data')) as [Buffer];
  const port = Number(String(said));
  const queue = Array.from({ length: 4 }, (): Socket =>
    connect({ host: '127.0.0.1', port }).on('error', () => undefined),
  );
  stops.push(() => queue.forEach((socket) => socket.destroy()));
  await once(queue[0] ?? sleeper, 'connect');
  return port;
}

function workerPids(): string[] {
  const master = readFileSync(trial.ingress.layout.pidFile, 'utf8').trim();
  return readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ');
}

/** The most memory that one of them has had so far, kB; of one that is ending nothing is told. */
const mostMemory = (): number =>
  Math.max(
    ...workerPids().map((pid) => {
      const [, peak = 0] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(peak);
    }),
  );

describe('connections to a backend', () => {
  it('are kept and used again, one for each worker at most', async () => {
    const { port, server } = await startBackend(
      (request, response) => void text(request).then((body) => response.end(body)),
    );
    let connections = 0;
    server.on('connection', () => (connections += 1));
    await expose(trial, host, port, { pathLocation: '/kept' });
    for (let round = 0; round < 20; round += 1) {
      expect((await visit(trial, host, { path: '/kept', method: round % 2 === 0 ? 'GET' : 'POST' })).status).toBe(200);
    }
    expect(connections).toBeGreaterThan(0);
    expect(connections).toBeLessThanOrEqual(workerPids().length);
  });

  it('go to the next address of its name when the first does not answer', async () => {
    const { port } = await startBackend((_request, response) => response.end('second'));
    const { value } = await expose(trial, host, port, { pathLocation: '/two', backendHost: 'two.example.test' });
    expect(trial.reconciler.problem('httpService', value.id)).toBeNull();
    for (let round = 0; round < 4; round += 1) expect((await visit(trial, host, { path: '/two' })).body).toBe('second');
  });
});

describe('a backend that speaks HTTPS', () => {
  const startHttps = async (options: TlsOptions = {}) => {
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-backend-'));
    stops.push(() => rmSync(directory, { recursive: true }));
    const { certificate } = await ensureSelfSigned({ directory, names: ['somewhere.else.test'] });
    const pair = readFileSync(certificate);
    const server = createHttpsServer({ cert: pair, key: pair, ...options }, (request, response) => {
      const { servername } = request.socket as TLSSocket & { servername?: string };
      response.end(
        JSON.stringify({ servername, host: request.headers.host, proto: request.headers['x-forwarded-proto'] }),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };

  it('is reached no matter who signed its certificate, by the name that was visited', async () => {
    const port = await startHttps();
    const { value } = await expose(trial, host, port, { pathLocation: '/tls', backendProto: 'https' });
    const { status, body } = await visit(trial, host, { path: '/tls' });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ servername: host, host: expect.stringContaining(host), proto: 'https' });
    await save(trial, (tx) => tx.httpServices.update(value.id, { backendProto: 'http' }));
    expect((await visit(trial, host, { path: '/tls' })).status).not.toBe(200);
  });

  // One of 10,000 bits costs each side a second, one of 8192 a seventh, and nginx serves no one else meanwhile.
  it.each([
    ['/tls1.2', { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto', maxVersion: 'TLSv1.2' }],
    ['/tls1.3', { ecdhCurve: 'ffdhe3072', minVersion: 'TLSv1.3' }],
  ] satisfies [string, TlsOptions][])(
    'has nginx use no finite-field group of its choice: %s',
    async (pathLocation, options) => {
      const port = await startHttps({ ...rsaPair(), ...options });
      await expose(trial, host, port, { pathLocation, backendProto: 'https' });
      expect((await visit(trial, host, { path: pathLocation })).status).toBe(502);
    },
  );

  it('is no answer when it speaks plain HTTP', async () => {
    const { port } = await startBackend((_request, response) => response.end('plain'));
    await expose(trial, host, port, { pathLocation: '/plain', backendProto: 'https' });
    expect((await visit(trial, host, { path: '/plain' })).status).toBe(502);
  });
});

describe('a page of nginx', () => {
  const closed = async (): Promise<number> => {
    const { port, stop } = await startBackend((_request, response) => response.end());
    await stop();
    return port;
  };
  /** The status and the title of a page that names nothing of the request, of the backend or of what answers. */
  const pageOf = ({ status, headers, body }: Visited): string => {
    expect([headers['content-type'], headers['cache-control']]).toEqual(['text/html', 'no-store']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(body).not.toMatch(/s3cret|example|127\.0\.0\.1|nginx/);
    expect(headers['server'] ?? 'nginx').toBe('nginx');
    return `${status} ${/<h1>(.*)<\/h1>/.exec(body)?.[1]}`;
  };
  const asked = { path: '/dead/<script>s3cret</script>?token=s3cret', headers: { 'x-s3cret': 's3cret' } };

  it('says that no one answers, when the connection is refused', async () => {
    await expose(trial, host, await closed(), { pathLocation: '/dead' });
    expect(pageOf(await visit(trial, host, asked))).toBe('502 No answer');
    // Also to who sends something, and without a body to who asks for none.
    expect(pageOf(await visit(trial, host, { ...asked, method: 'POST' }))).toBe('502 No answer');
    const head = await visit(trial, host, { ...asked, method: 'HEAD' });
    expect([head.status, head.body]).toEqual([502, '']);
  });

  it.each([
    ['closes before it has said anything', ''],
    ['breaks off within its headers', 'HTTP/1.1 200 OK\r\nX-S3cret: s3'],
  ])('says that no one answers, when the backend %s', async (_, bytes) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(bytes));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => server.close());
    const path = `/broken${bytes.length}`;
    await expose(trial, host, (server.address() as AddressInfo).port, { pathLocation: path });
    expect(pageOf(await visit(trial, host, { path }))).toBe('502 No answer');
  });

  it('says that it is closed, when the service cannot be served', async () => {
    const { value } = await expose(trial, host, 80, { pathLocation: '/closed', backendHost: 'gone.example.test' });
    expect(pageOf(await visit(trial, host, { ...asked, path: '/closed/s3cret' }))).toBe('503 Closed for now');
    expect(trial.reconciler.problem('httpService', value.id)).toMatch(/gone\.example\.test cannot be resolved\. Check/);
  });

  it('says that nothing is there, and that someone may not come in', async () => {
    expect(pageOf(await visit(trial, host, { path: '/s3cret' }))).toBe('404 Nothing here');
    await expose(trial, host, 80, { pathLocation: '/guarded', blockedIps: ['127.0.0.1'] });
    expect(pageOf(await visit(trial, host, { path: '/guarded' }))).toBe('403 Not allowed');
  });

  it.each([
    ['a request that is none', ['GET s3cret HTTP/1.1', `Host: ${host}`], 400],
    ['a header that is too large', ['GET / HTTP/1.1', `Host: ${host}`, `X-S3cret: ${'s3cret'.repeat(8000)}`], 400],
    ['an address that is too long', [`GET /${'s3cret'.repeat(8000)} HTTP/1.1`, `Host: ${host}`], 414],
    ['a method that it does not take', ['TRACE /s3cret HTTP/1.1', `Host: ${host}`], 405],
  ])('says what is wrong with %s', async (_, lines, status) => {
    const answer = await rawRequest(trial, host, lines);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).not.toContain('s3cret');
  });

  it('says that it took too long, when no one takes the connection', async () => {
    expect(pageOf(await tooSlow)).toBe('504 Not reachable at the moment');
  });

  it('is not put in the place of an error of the backend’s own', async () => {
    const { port } = await startBackend(({ url }, response) => {
      response.writeHead(Number(url?.split('/').at(-1))).end('its own words');
    });
    await expose(trial, host, port, { pathLocation: '/own' });
    for (const status of [400, 403, 404, 500, 502, 503, 504]) {
      expect(await visit(trial, host, { path: `/own/${status}` })).toMatchObject({ status, body: 'its own words' });
    }
  });
});

// As IIS does with Windows' own sign-in: it takes a connection for the one who signed in on it.
describe('a backend that knows visitors by their connection', () => {
  beforeAll(async () => {
    const users = new WeakMap<Socket, string>();
    const { port, stop } = await startBackend(({ socket, headers }, response) => {
      if (/^(?:NTLM|Negotiate) /i.test(headers.authorization ?? '')) users.set(socket, 'alice');
      response.end(users.get(socket) ?? 'no one');
    });
    stops.push(stop);
    await expose(trial, host, port, { pathLocation: '/windows' });
  });

  it.each(['NTLM TlRMTVNTUAAD', 'negotiate YIIG'])('takes no one for another after %s', async (authorization) => {
    const ask = async (headers: Record<string, string>): Promise<string> =>
      (await visit(trial, host, { path: '/windows', headers })).body;
    expect(await ask({ authorization })).toBe('alice');
    // Each worker keeps connections of its own.
    for (let turn = 0; turn < 20; turn += 1) expect(await ask({})).toBe('no one');
  });
});

// nginx passes on what follows an answer without a framing of its own: a backend could answer with it what its visitor
// asks another service next, on the same connection.
describe('what follows an answer that is none', () => {
  const answerOf = (protocol: string, body: string): string =>
    `${protocol} 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  /** As clients take them: each of the first, Firefox of the second, Node of the others. */
  const HEADS = ['HTTP/1.1', 'ICY', 'RTSP/1.1', 'ICE/1.1', 'HTTP/0.9', 'ICE/2.0'];
  const FORGED = HEADS.map((head) => answerOf(head, 'hi')).join('') + answerOf('HTTP/1.1', 'FORGED');

  const BEGINNINGS: [string, string][] = [
    ['an early hint', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ['an early hint with a length', `HTTP/1.1 103 Early Hints\r\nContent-Length: ${FORGED.length}\r\n\r\n`],
    ['a chunked one', 'HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a typed one', 'HTTP/1.1 103 Early Hints\r\nContent-Type: text/html\r\n\r\n'],
    ['a protocol that no one asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['a word to go on', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['the last of its kind', 'HTTP/1.0 199 Something\r\n\r\n'],
    ['no status', 'HTTP/1.1 000 Nothing\r\n\r\n'],
    ['a small status', 'HTTP/1.1 099 Nothing\r\n\r\n'],
    ['no header at all', '\r\n'],
    // Browsers look for no body here, whatever its length.
    ['a reset', `HTTP/1.1 205 Reset Content\r\nContent-Length: ${FORGED.length}\r\n\r\n`],
    ['a chunked reset', 'HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ];

  /** Nothing but what nginx writes something else for. */
  const LONG = 'http'.repeat(2 ** 20);

  const chunked = `${FORGED.length.toString(16)}\r\n${FORGED}\r\n0\r\n\r\n`;

  beforeAll(async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (request: Buffer) => {
        const [, beginning = ''] = BEGINNINGS[Number(/ \/foreign\/(\d+) /.exec(String(request))?.[1])] ?? [];
        if (String(request).includes(' /foreign/long ')) {
          socket.end(`HTTP/1.1 205 Reset Content\r\nContent-Length: ${LONG.length}\r\n\r\n${LONG}`);
          return;
        }
        socket.end(beginning + (beginning.includes('chunked') ? chunked : FORGED));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => server.close());
    await expose(trial, host, (server.address() as AddressInfo).port, { pathLocation: '/foreign' });
  });

  it.each(BEGINNINGS)('no status line of a backend follows %s', async (name, beginning) => {
    const index = BEGINNINGS.findIndex(([each]) => each === name);
    const socket = await openSocket(trial, host);
    socket.write(`GET /foreign/${index} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    let received = '';
    for await (const chunk of socket) {
      received += String(chunk);
      if (received.includes('FORGED')) break;
    }
    const body = beginning === '\r\n' ? received : received.slice(received.indexOf('\r\n\r\n') + '\r\n\r\n'.length);
    expect(body).toContain('FORGED');
    expect(body).not.toMatch(/http|icy |\/\d\./i);
  });

  it.each(HEADS)('is no answer to a client that takes %s for one', async (head) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(`HTTP/1.1 103 Early Hints\r\n\r\n${answerOf(head, 'FORGED')}`));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => server.close());
    const pathLocation = `/taken-${HEADS.indexOf(head)}`;
    await expose(trial, host, (server.address() as AddressInfo).port, { pathLocation });
    const agent = new Agent({ keepAlive: true });
    stops.push(() => agent.destroy());
    await expect(visit(trial, host, { path: pathLocation, agent })).rejects.toThrow('Parse Error');
  });

  it('costs nginx no memory, however long it is', async () => {
    const before = mostMemory();
    const socket = await openSocket(trial, host);
    socket.write(`GET /foreign/long HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    let received = 0;
    for await (const chunk of socket) received += (chunk as Buffer).length;
    expect(received).toBeGreaterThan(LONG.length / 'http'.length);
    expect(mostMemory() - before).toBeLessThan(16_384);
  });
});
