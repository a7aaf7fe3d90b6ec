import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { giveBackBrokenPackets } from './listeners.ts';

const server = createServer((_request, response) => response.end('page'));
/** What each error still holds once its connection has ended, and what came with it. */
const held: { size: number; left: number }[] = [];

beforeAll(async () => {
  server.on('connection', (socket: Socket) => {
    giveBackBrokenPackets(socket);
    socket.once('error', ({ rawPacket }: Error & { rawPacket?: Buffer }) => {
      if (rawPacket !== undefined) held.push({ size: socket.bytesRead, left: rawPacket.byteLength });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

/** Small enough to arrive in one piece: what is left unread when the server hangs up would reset the connection. */
const ask = async (request: string): Promise<string> => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(request);
  return text(socket);
};

it.each([
  ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX-Huge: ${'h'.repeat(20_000)}\r\n\r\n`, 431],
  ['a line that is no request', `NONSENSE ${'n'.repeat(20_000)}\r\n\r\n`, 400],
  ['a length that is none', `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n${'b'.repeat(20_000)}`, 400],
])('answers %s and keeps nothing of it', async (_, request, status) => {
  held.length = 0;
  expect(await ask(request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(held).toEqual([{ size: expect.any(Number), left: 0 }]);
  expect(held[0]?.size).toBeGreaterThan(0);
});

it('leaves whole requests alone', async () => {
  held.length = 0;
  expect(await ask('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain('page');
  expect(held).toEqual([]);
});
