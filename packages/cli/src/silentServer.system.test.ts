import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPiped } from './testing/process.ts';
import { type SelfSigned, selfSigned } from './testing/selfSigned.ts';

let base: string;
let certificate: SelfSigned;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-silent-'));
  certificate = selfSigned(base);
});
afterAll(() => rmSync(base, { recursive: true }));

/** A server that takes every connection, reads what is sent, and says nothing. */
async function listenSilently(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.on('secureConnection', (socket: Socket) => void socket.on('error', () => undefined).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    place: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('a server that says nothing', () => {
  const kinds = [
    ['by plain HTTP', 'http', () => createServer()],
    ['instead of speaking TLS', 'https', () => createServer()],
    ['after the handshake of TLS', 'https', () => createTlsServer(certificate)],
  ] as const;

  const login = (url: string) => {
    const pin = url.startsWith('https:') ? ['--pin', certificate.fingerprint] : [];
    return ['login', '--operator', '--url', url, ...pin];
  };

  it.each(kinds)('%s is told of after a while; Ctrl+C ends the wait with 130', async (_, scheme, open) => {
    const silent = await listenSilently(open());
    const url = `${scheme}://${silent.place}`;
    const directory = join(base, 'none');
    try {
      const waiting = startPiped(login(url), { SALLYPORT_CONFIG_DIR: directory });
      await waiting.until(/\n/);
      waiting.child.kill('SIGINT');
      expect(await waiting.ended).toEqual({ code: 130, out: '', err: `Waiting for ${url} to answer …\n` });
      expect(existsSync(directory)).toBe(false);
    } finally {
      silent.close();
    }
  });
});
