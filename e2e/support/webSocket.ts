import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:tls';

const PROTOCOL_KEY = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const ECHO_LIMIT_MS = 20_000;

/** A server that says everything back on the connections that were upgraded. */
export async function startEchoServer(): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.end('page'));
  server.on('upgrade', ({ headers }, socket: Socket) => {
    sockets.add(socket);
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${PROTOCOL_KEY}`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** An open WebSocket, from the outside through nginx. What goes through it after the handshake nginx does not look at. */
export type OpenWebSocket = {
  /** Sends a text and waits until it came back; rejects when the connection is cut. */
  echo(text: string): Promise<void>;
  /** Whether it was cut by the other side. */
  isCut(): boolean;
  close(): void;
};

export async function openWebSocket(port: number, host: string): Promise<OpenWebSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  let received = '';
  let cut = false;
  socket.on('data', (chunk: Buffer) => void (received += chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => void (cut = true));
  const has = async (text: string): Promise<void> => {
    const signal = AbortSignal.timeout(ECHO_LIMIT_MS);
    while (!received.includes(text)) {
      if (cut) throw new Error(`The WebSocket was cut; it got ${JSON.stringify(received.slice(0, 200))}`);
      await Promise.race([once(socket, 'data', { signal }), once(socket, 'close', { signal })]);
    }
    received = received.slice(received.indexOf(text) + text.length);
  };
  socket.write(
    `GET /socket HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await has('\r\n\r\n');
  return {
    async echo(text) {
      socket.write(text);
      await has(text);
    },
    isCut: () => cut,
    close() {
      socket.removeAllListeners('close');
      socket.destroy();
    },
  };
}
