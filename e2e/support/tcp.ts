import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';

const ANSWER_LIMIT_MS = 20_000;

async function listening(port: number, host: string, words: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(words);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

const closing = async (server: Server): Promise<void> => {
  server.close();
  await once(server, 'close');
};

/** A server that says these words to anyone who connects, on a free port of loopback unless one is given. */
export async function startSpeaker(words: string, port = 0): Promise<{ port: number; close(): Promise<void> }> {
  const server = await listening(port, '127.0.0.1', words);
  return { port: (server.address() as AddressInfo).port, close: () => closing(server) };
}

/** What is said on a TCP port of this machine; empty when no one listens, or nothing is said. */
export async function hear(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, timeout: ANSWER_LIMIT_MS });
  socket.once('timeout', () => socket.destroy());
  return text(socket).catch(() => '');
}
