import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { constants } from 'node:http2';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  expose,
  openReconcileTrial,
  openVisit,
  type ReconcileTrial,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { acceptUpgrade, openHttp2, openSocket, openWebSocket } from '../testing/wire.ts';

// Bytes that go on as they come, both ways.

let trial: ReconcileTrial;
const host = 'streams.example.test';
/** The event stream that was asked for last. */
let events: PassThrough;
let asked: PromiseWithResolvers<void>;
let left: PromiseWithResolvers<void>;

const MEGABYTE = 1_048_576;
/** In megabytes: several times what nginx may keep of it. */
const SIZE = 64;
/** As many megabytes, each different from the one before. */
async function* megabytes(count: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(MEGABYTE, index % 251);
}
const digestOf = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
};

beforeAll(async () => {
  trial = await openReconcileTrial();
  const { port } = await startBackend((request, response) => {
    if (request.url === '/events') {
      events = new PassThrough();
      response.setHeader('content-type', 'text/event-stream');
      response.flushHeaders();
      events.pipe(response);
      response.once('close', () => left.resolve());
      asked.resolve();
    } else if (request.url === '/large') {
      Readable.from(megabytes(SIZE)).pipe(response);
    } else if (request.url === '/digest') {
      void digestOf(request).then((digest) => response.end(digest));
    } else if (request.url === '/file') {
      // A server of files that knows ranges.
      const file = Buffer.from('0123456789');
      const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      response.setHeader('accept-ranges', 'bytes').setHeader('etag', '"v1"');
      if (from === '') response.setHeader('content-length', file.length).end(request.method === 'HEAD' ? '' : file);
      else {
        response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${file.length}` });
        response.end(file.subarray(Number(from), Number(to) + 1));
      }
    } else {
      const encoding = request.headers['transfer-encoding'] ?? 'whole';
      void text(request).then((body) => response.end(`${request.method} ${encoding} ${body}`));
    }
  });
  await expose(trial, host, port);
});
afterAll(() => trial.close());

const wholeDigest = digestOf(megabytes(SIZE));

/** What nginx keeps of bodies on the disk. */
const temporaryFiles = (): string[] =>
  readdirSync(trial.ingress.layout.tmp, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

/** The largest memory that a worker of nginx ever had, in bytes. */
function workersPeak(): number {
  const master = readFileSync(trial.ingress.layout.pidFile, 'utf8').trim();
  const workers = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ');
  // A worker of an earlier generation may just have ended: it has no memory any more, or no entry.
  const peaks = workers.flatMap((pid) => {
    try {
      return /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? [];
    } catch {
      return [];
    }
  });
  return Math.max(...peaks.map(Number)) * 1024;
}

const PROTOCOLS = ['HTTP/1.1', 'HTTP/2'];

/** Asks for a path; what comes is read from `body`. */
async function ask(protocol: string, path: string): Promise<{ body: Readable; close(): void }> {
  if (protocol === 'HTTP/1.1') {
    const body = await openVisit(trial, host, { path });
    return { body, close: () => body.destroy() };
  }
  const session = await openHttp2(trial, host);
  return { body: session.request({ ':path': path }), close: () => session.destroy() };
}

beforeEach(() => {
  asked = Promise.withResolvers();
  left = Promise.withResolvers();
});

describe('server-sent events', () => {
  it.each(PROTOCOLS)('arrive each before the next is sent, over %s', async (protocol) => {
    const { body, close } = await ask(protocol, '/events');
    // nginx sends the headers of HTTP/2 with the first bytes of the body, so there is nothing to wait for before them.
    await asked.promise;
    for (const event of ['data: one\n\n', 'data: two\n\n', ': heartbeat\n\n']) {
      events.write(event);
      expect(String((await once(body, 'data'))[0])).toBe(event);
    }
    close();
  });

  it('end at the backend when the visitor leaves', async () => {
    const response = await openVisit(trial, host, { path: '/events' });
    response.destroy();
    await expect(left.promise).resolves.toBeUndefined();
  });
});

describe('an upload', () => {
  it('reaches the backend while it is sent', async () => {
    const arrived = Promise.withResolvers<string>();
    const { port } = await startBackend((request, response) => {
      request.once('data', (chunk: Buffer) => arrived.resolve(chunk.toString()));
      request.on('end', () => response.end('done'));
    });
    await expose(trial, host, port, { pathLocation: '/upload' });
    const body = new PassThrough();
    const answer = visit(trial, host, { path: '/upload', method: 'POST', body });
    body.write('the first part');
    expect(await arrived.promise).toBe('the first part');
    body.end();
    expect((await answer).body).toBe('done');
  });

  it.each(PROTOCOLS)('of many megabytes leaves nothing on the disk and little in memory, over %s', async (protocol) => {
    const before = workersPeak();
    const looks: string[] = [];
    const body = Readable.from(
      (async function* () {
        for await (const chunk of megabytes(SIZE)) {
          looks.push(...temporaryFiles());
          yield chunk;
        }
      })(),
    );
    let answer: string;
    if (protocol === 'HTTP/2') {
      const session = await openHttp2(trial, host);
      const stream = session.request({ ':path': '/digest', ':method': 'POST' });
      body.pipe(stream);
      answer = await text(stream);
      session.close();
    } else answer = (await visit(trial, host, { path: '/digest', method: 'POST', body })).body;
    expect(answer).toBe(await wholeDigest);
    expect(looks).toEqual([]);
    expect(workersPeak() - before).toBeLessThan(16 * MEGABYTE);
  });

  it('waits for the word to go on, when it asks for it', async () => {
    const socket = await openSocket(trial, host);
    socket.write(`POST /echo HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('body');
    expect(String((await once(socket, 'data'))[0])).toContain('200 OK');
    socket.destroy();
  });
});

describe('a download', () => {
  it.each(PROTOCOLS)('of many megabytes leaves nothing on the disk and little in memory, over %s', async (protocol) => {
    const before = workersPeak();
    const { body, close } = await ask(protocol, '/large');
    const looks: string[] = [];
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      hash.update(chunk);
      if (size % MEGABYTE < chunk.length) looks.push(...temporaryFiles());
      size += chunk.length;
    }
    close();
    expect([size, hash.digest('hex')]).toEqual([SIZE * MEGABYTE, await wholeDigest]);
    expect(looks).toEqual([]);
    expect(workersPeak() - before).toBeLessThan(16 * MEGABYTE);
  });

  it('may be of a part, and HEAD of nothing but its headers', async () => {
    const part = await visit(trial, host, { path: '/file', headers: { range: 'bytes=2-4' } });
    expect(part).toMatchObject({
      status: 206,
      body: '234',
      headers: { 'content-range': 'bytes 2-4/10', etag: '"v1"' },
    });
    const head = await visit(trial, host, { path: '/file', method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '', headers: { 'content-length': '10' } });
  });

  it.each(PROTOCOLS)('that breaks off at the backend is not taken for whole, over %s', async (protocol) => {
    const { port } = await startBackend((_request, response) => {
      response.write('the first part', () => response.socket?.destroy());
    });
    const path = `/cut${protocol.at(-1)}`;
    await expose(trial, host, port, { pathLocation: path });
    const { body, close } = await ask(protocol, path);
    await expect(text(body)).rejects.toThrow(/aborted|closed|reset/i);
    close();
  });
});

describe('a WebSocket', () => {
  let port: number;
  let handshake: IncomingHttpHeaders;
  const open = () =>
    openWebSocket(trial, host, {
      path: '/socket/chat?room=1',
      headers: ['Sec-WebSocket-Key: bm9uY2U=', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: chat'],
    });

  beforeAll(async () => {
    ({ port } = await startBackend(
      (_request, response) => response.end('no socket'),
      ({ headers }, socket) => {
        handshake = headers;
        acceptUpgrade(socket, 'Sec-WebSocket-Accept: accepted\r\nSec-WebSocket-Protocol: chat\r\n');
        socket.pipe(socket);
        socket.once('close', () => left.resolve());
      },
    ));
    await expose(trial, host, port, { pathLocation: '/socket' });
  });

  it('is carried: the handshake, bytes both ways, and its end', async () => {
    const { socket, head, say } = await open();
    expect(handshake).toMatchObject({
      upgrade: 'websocket',
      connection: expect.stringMatching(/^upgrade$/i),
      'sec-websocket-key': 'bm9uY2U=',
      'sec-websocket-protocol': 'chat',
    });
    expect(head).toMatch(/Sec-WebSocket-Accept: accepted\r\nSec-WebSocket-Protocol: chat/);
    for (const bytes of ['first', '\0\x01\r\n']) expect(await say(bytes)).toBe(bytes);
    socket.end();
    await left.promise;
  });

  it('is not cut when another service changes', async () => {
    const { socket, say } = await open();
    const { generation } = trial.reconciler.state();
    await expose(trial, 'other.example.test', port);
    expect(trial.reconciler.state().generation).toBeGreaterThan(generation);
    expect(await say('still')).toBe('still');
    socket.destroy();
  });

  it('is not offered over HTTP/2, so that browsers open one over HTTP/1.1', async () => {
    const session = await openHttp2(trial, host);
    expect(session.alpnProtocol).toBe('h2');
    expect(session.remoteSettings.enableConnectProtocol).toBeFalsy();
    const stream = session.request({ ':method': 'CONNECT', ':authority': host });
    const [{ [constants.HTTP2_HEADER_STATUS]: status }] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect([400, 405]).toContain(status);
    session.destroy();
  });
});
