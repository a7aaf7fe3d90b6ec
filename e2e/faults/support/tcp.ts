import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';

const ANSWER_LIMIT_MS = 5000;
const TRIES = 50;

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

/** A server that says these words to whoever connects, on a free port of loopback unless one is given. */
export async function startSpeaker(words: string, port = 0): Promise<{ port: number; close(): Promise<void> }> {
  const server = await listening(port, '127.0.0.1', words);
  return { port: (server.address() as AddressInfo).port, close: () => closing(server) };
}

/** What is said on a TCP port of this machine; empty when nobody listens, or nothing is said. */
export async function hear(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, timeout: ANSWER_LIMIT_MS });
  socket.once('timeout', () => socket.destroy());
  return text(socket).catch(() => '');
}

// Below those from which Linux takes one for each connection: after a busy hour hardly a row of them is free.
const LOWEST_PORT = 12_000;
const HIGHEST_PORT = 32_000;

/** Several ports in a row on which nobody listens at this moment. */
export async function freeRange(count: number): Promise<{ from: number; to: number }> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const from = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT));
    const ports = Array.from({ length: count }, (_, index) => from + index);
    const servers = await Promise.allSettled(ports.map((port) => listening(port, '0.0.0.0', '')));
    await Promise.all(servers.flatMap((server) => (server.status === 'fulfilled' ? [closing(server.value)] : [])));
    if (servers.every(({ status }) => status === 'fulfilled')) return { from, to: from + count - 1 };
  }
  throw new Error(`There are no ${count} free ports in a row.`);
}
