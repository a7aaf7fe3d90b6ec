import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, existsSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { ErrorBody } from '@sallyport/sdk/contract';
import type { Gateway } from './compose.ts';
import { errorCode } from '../machine/errorCode.ts';
import { StartError } from '../machine/startError.ts';
import type { WorkerUser } from '../machine/dataDirectory.ts';

/** Longer than nginx keeps an idle connection, so that it never sends a request into one that is just closing. */
const KEEP_ALIVE_MS = 75_000;
/** How long a request may take to come whole; nginx gives up a silent sender after as long. */
const REQUEST_MS = 60_000;
/** How long requests may take to end when the gateway stops. */
const CLOSE_MS = 2000;

/** The gateway's own servers. */
export type Listeners = {
  /** The plain listener's port; also when any free one was asked for with 0. */
  port: number;
  /** Makes nginx's way to the gateway again if its file was deleted. Requests on their way are answered. */
  repairSocket(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens the plain listener and the unix socket for nginx. Requests wait until `gateway` is there.
 * @throws {StartError} when the address cannot be had
 */
export async function openListeners(options: {
  gateway: Promise<Pick<Gateway, 'fetch'>>;
  listen: { host: string; port: number };
  socket: string;
  workerUser: WorkerUser | null;
}): Promise<Listeners> {
  const { listen, socket, workerUser } = options;
  const serverFor = (trusted: boolean): Server => {
    const server = createAdaptorServer({
      // The whole program works with the server's own Request and Response then: a short answer goes out in one write
      // instead of through a stream.
      overrideGlobalObjects: true,
      fetch: async (request, { incoming, outgoing }) => {
        if (!trusted && !isLoopbackName(incoming.headers.host ?? '')) return misdirected();
        const address = incoming.socket.remoteAddress ?? '';
        const whenTaken = (done: () => void): void => void (outgoing.closed ? done() : outgoing.once('close', done));
        return (await options.gateway).fetch(request, { address, trusted, whenTaken });
      },
    }) as Server;
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.requestTimeout = REQUEST_MS;
    server.on('connection', giveBackBrokenPackets);
    return server;
  };

  const plain = serverFor(false);
  plain.listen({ host: listen.host, port: listen.port });
  await listening(plain, () => {
    const where = `${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${listen.port}`;
    return `The gateway cannot listen on ${where}: REASON. Stop the other program, or choose another address with SALLYPORT_LISTEN.`;
  });

  const listenOnSocket = async (): Promise<Server> => {
    const trusted = serverFor(true);
    // The lock on the data directory says that no other gateway is alive: the socket is a dead one's.
    rmSync(socket, { force: true });
    trusted.listen({ path: socket });
    await listening(trusted, () => `The gateway cannot make its socket ${socket}: REASON.`);
    if (workerUser !== null) chownSync(socket, 0, workerUser.gid);
    chmodSync(socket, workerUser === null ? 0o600 : 0o660);
    return trusted;
  };
  const servers = [plain, await listenOnSocket()];

  return {
    port: (plain.address() as AddressInfo).port,
    async repairSocket() {
      if (existsSync(socket)) return;
      // First the old one, because closing it removes the file. Its connections live on.
      servers.at(-1)?.close();
      servers.push(await listenOnSocket());
    },
    async close() {
      const closed = servers.map(async (server) => {
        const done = once(server, 'close');
        server.close();
        if (server.listening) await done;
      });
      const timer = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), CLOSE_MS);
      for (const server of servers) server.closeIdleConnections();
      await Promise.all(closed);
      clearTimeout(timer);
    },
  };
}

/** `localhost`, a name below it, or a loopback address, with or without a port. */
const LOOPBACK_NAME = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Whether this is a name by which only this machine means itself. */
const isLoopbackName = (host: string): boolean => LOOPBACK_NAME.test(host);

/**
 * What the plain listener says under any other name: a page from elsewhere can have its own name lead to loopback, and its
 * scripts would then be of one origin with the gateway.
 */
function misdirected(): Response {
  const body: ErrorBody = {
    status: 'error',
    message:
      'This listener answers under localhost, 127.0.0.1 and [::1] only. From other machines, use the address of the console.',
    requestId: randomUUID(),
  };
  return Response.json(body, { status: 421, headers: { 'cache-control': 'no-store', connection: 'close' } });
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another program or a service of this gateway uses it',
  EACCES: 'this account may not',
  EADDRNOTAVAIL: 'the machine does not have this address',
};

async function listening(server: Server, sentence: () => string): Promise<void> {
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = errorCode(error) || String(error);
    throw new StartError(sentence().replace('REASON', REASONS[code] ?? code), { cause: error });
  }
}

/**
 * Gives the memory of requests that break HTTP back at once. Node puts up to 64 kB of what came with such a request
 * into its error, and the system gets little of that back when many of them have waited for the next large collection.
 * @param socket a new connection of an HTTP server
 */
export function giveBackBrokenPackets(socket: Socket): void {
  // Node has answered when it ends the connection with the error.
  socket.once('error', (error: Error & { rawPacket?: unknown }) => {
    const packet = error.rawPacket;
    if (!(packet instanceof Uint8Array) || !(packet.buffer instanceof ArrayBuffer)) return;
    // A small packet may lie in a memory that others share.
    if (packet.byteLength === packet.buffer.byteLength) packet.buffer.transfer(0);
  });
}
