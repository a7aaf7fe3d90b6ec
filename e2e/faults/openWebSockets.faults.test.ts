import { afterAll, beforeAll, expect, test } from 'vitest';
import { duration, extent, report, until } from '../support/fault.ts';
import { megabytes } from '../support/memory.ts';
import { nginxMemory, nginxProcesses } from '../support/nginx.ts';
import { domainOf, openScene, type Scene } from '../support/scene.ts';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:tls';

const RELOADS = extent(25, 250);
const WEB_SOCKETS = 20;
/** Reloads before anything is measured: a master's memory settles with its first ones. */
const WARM_UP = 5;
/** Workers end by themselves once their last connection is closed. */
const GONE_LIMIT_MS = 20_000;
/** What two looks at the same nginx differ by. */
const MEMORY_RATIO_MAX = 1.1;

let scene: Scene;
let backend: Awaited<ReturnType<typeof startEchoServer>>;

beforeAll(async () => {
  scene = await openScene();
  backend = await startEchoServer();
  await scene.expose('sockets', backend.port);
  await scene.expose('other');
});
afterAll(async () => {
  backend?.close();
  await scene?.close();
});

const workers = () => nginxProcesses(scene.gateway.data)?.workers ?? [];
const areOldOnesGone = () => workers().every(({ closing }) => !closing);

/** Changes another service, so that nginx gets another configuration. */
async function reload(index: number): Promise<void> {
  const { client } = scene;
  const { data } = await client.httpService.list({ params: { nodeId: 1 }, query: { search: 'other' } });
  const params = { nodeId: 1, id: data[0]?.id ?? 0 };
  const saved = await client.httpService.update({ params, body: { blockedIps: [`192.0.2.${index % 250}`] } });
  expect(saved.problem).toBeNull();
}

test(`${WEB_SOCKETS} WebSockets over ${RELOADS} reloads`, { timeout: extent(240_000, 900_000) }, async () => {
  for (let index = 0; index < WARM_UP; index += 1) await reload(index + 100);
  await until('the workers of the warm-up are gone', GONE_LIMIT_MS, areOldOnesGone);
  const memoryBefore = nginxMemory(scene.gateway.data);
  const workersBefore = workers().length;

  const open: OpenWebSocket[] = [];
  const openOne = async () => void open.push(await openWebSocket(scene.gateway.ports.https, domainOf('sockets')));
  for (let count = 0; count < WEB_SOCKETS; count += 1) await openOne();
  const { generation } = await scene.client.system.health();
  for (let index = 0; index < RELOADS; index += 1) {
    await reload(index);
    // One more for each of the first reloads: so many generations have to be kept at the same time.
    if (index < WEB_SOCKETS) await openOne();
  }
  const reloads = (await scene.client.system.health()).generation - generation;
  const echoes = await Promise.allSettled(open.map((socket, index) => socket.echo(`still here ${index}\n`)));
  const cut = echoes.filter(({ status }) => status === 'rejected').length;
  const memoryOpen = nginxMemory(scene.gateway.data);
  const workersOpen = workers().length;

  for (const socket of open) socket.close();
  const gone = await until('the old workers are gone', GONE_LIMIT_MS, areOldOnesGone);
  const memoryAfter = nginxMemory(scene.gateway.data);
  report(
    'open WebSockets',
    `${open.length} open (${WEB_SOCKETS} from the beginning) over ${reloads} reloads, then closed; nginx: ${workersBefore} workers with ${megabytes(memoryBefore)} before, ${workersOpen} with ${megabytes(memoryOpen)} meanwhile, ${workers().length} with ${megabytes(memoryAfter)} ${duration(gone)} after`,
    `${cut} connections`,
  );
  expect(cut).toBe(0);
  expect(reloads).toBe(RELOADS);
  expect(workersOpen).toBeGreaterThan(workersBefore);
  expect(workers()).toHaveLength(workersBefore);
  expect(memoryAfter / memoryBefore).toBeLessThanOrEqual(MEMORY_RATIO_MAX);
});

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
