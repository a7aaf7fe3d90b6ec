import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:http2';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expose, openReconcileTrial, type ReconcileTrial, startBackend } from '../testing/reconcileTrial.ts';
import { openHttp2, openSocket } from '../testing/wire.ts';

let trial: ReconcileTrial;
let stop: () => Promise<void>;
let port: number;
const host = 'socket.example.test';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const acceptOf = (key: string): string =>
  createHash('sha1')
    .update(key + GUID)
    .digest('base64');

const TEXT = 0x81;
const CLOSE = 0x88;
/** A short frame; a client's is masked. */
function frame(kind: number, payload: Buffer | string, mask?: Buffer): Buffer {
  const body = Buffer.from(payload);
  const masked = Buffer.from(body.map((byte, index) => byte ^ (mask?.[index % 4] ?? 0)));
  return Buffer.concat([
    Buffer.from([kind, body.length | (mask === undefined ? 0 : 0x80)]),
    mask ?? Buffer.alloc(0),
    masked,
  ]);
}

/** Speaks as a server does: says hello, sends back in capitals what it gets, and confirms the end. */
function serve(socket: Duplex): void {
  socket.write(frame(TEXT, 'hello'));
  let buffered = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const length = (buffered[1] ?? 0) & 0x7f;
      if (buffered.length < length + 6) return;
      const mask = buffered.subarray(2, 6);
      const body = buffered.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
      const kind = buffered[0] ?? 0;
      buffered = buffered.subarray(6 + length);
      if (kind === CLOSE) socket.end(frame(CLOSE, Buffer.from(body)));
      else socket.write(frame(TEXT, Buffer.from(body).toString().toUpperCase()));
    }
  });
  socket.on('end', () => socket.end());
  socket.on('error', () => undefined);
}

beforeAll(async () => {
  trial = await openReconcileTrial();
  const backend = await startBackend(
    (_request, response) => response.end('no socket'),
    (request, socket) => {
      const {
        'sec-websocket-key': key = '',
        'sec-websocket-protocol': protocol,
        connection,
        upgrade,
      } = request.headers;
      const asks = upgrade?.toLowerCase() === 'websocket' && /upgrade/i.test(connection ?? '');
      socket.write(
        `HTTP/1.1 ${asks ? '101 Switching Protocols' : '400 Bad Request'}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptOf(key)}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
      );
      serve(socket);
    },
  );
  ({ port, stop } = backend);
  await expose(trial, host, port, { pathLocation: '/socket' });
});
afterAll(async () => {
  await trial.close();
  await stop();
});

/** Opens one with a real handshake; `next` reads the bytes of so many. */
async function openWebSocket() {
  const socket = await openSocket(trial, host);
  const key = Buffer.from('the sample nonce').toString('base64');
  socket.write(
    [
      'GET /socket/chat?room=1 HTTP/1.1',
      `Host: ${host}`,
      'Upgrade: websocket',
      'Connection: keep-alive, Upgrade',
      `Sec-WebSocket-Key: ${key}`,
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Protocol: chat',
      '',
      '',
    ].join('\r\n'),
  );
  let buffered = Buffer.alloc(0);
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) buffered = Buffer.concat([buffered, (await once(socket, 'data'))[0] as Buffer]);
  };
  await until(() => buffered.includes('\r\n\r\n'));
  const end = buffered.indexOf('\r\n\r\n') + 4;
  const head = buffered.subarray(0, end).toString();
  buffered = buffered.subarray(end);
  return {
    socket,
    head,
    accept: acceptOf(key),
    async next(): Promise<Buffer> {
      await until(() => buffered.length >= 2 && buffered.length >= (buffered[1] ?? 0) + 2);
      const length = (buffered[1] ?? 0) + 2;
      const found = buffered.subarray(0, length);
      buffered = buffered.subarray(length);
      return found;
    },
  };
}
const MASK = Buffer.from([1, 2, 3, 4]);

it('carries a WebSocket: the handshake, frames both ways, and its end', async () => {
  const { socket, head, accept, next } = await openWebSocket();
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  expect(head).toContain(`Sec-WebSocket-Accept: ${accept}`);
  expect(head).toContain('Sec-WebSocket-Protocol: chat');
  expect(await next()).toEqual(frame(TEXT, 'hello'));
  for (const word of ['first', 'second']) {
    socket.write(frame(TEXT, word, MASK));
    expect(await next()).toEqual(frame(TEXT, word.toUpperCase()));
  }
  socket.write(frame(CLOSE, Buffer.from([0x03, 0xe8]), MASK));
  expect(await next()).toEqual(frame(CLOSE, Buffer.from([0x03, 0xe8])));
  await once(socket, 'end');
});

it('does not cut a WebSocket when another service changes', async () => {
  const { socket, next } = await openWebSocket();
  await next();
  const { generation } = trial.reconciler.state();
  await expose(trial, 'other.example.test', port);
  expect(trial.reconciler.state().generation).toBeGreaterThan(generation);
  socket.write(frame(TEXT, 'still', MASK));
  expect(await next()).toEqual(frame(TEXT, 'STILL'));
  socket.destroy();
});

it('offers none over HTTP/2, so that browsers open them over HTTP/1.1', async () => {
  const session = await openHttp2(trial, host);
  expect(session.alpnProtocol).toBe('h2');
  expect(session.remoteSettings.enableConnectProtocol).toBeFalsy();
  const stream = session.request({ ':method': 'CONNECT', ':authority': host });
  const [{ [constants.HTTP2_HEADER_STATUS]: status }] = (await once(stream, 'response')) as [Record<string, unknown>];
  expect([400, 405]).toContain(status);
  session.destroy();
});
