import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawn, extent, report, spread, tally, until } from '../support/fault.ts';
import { gatewayMemory, megabytes, WITH_MEMORY } from '../support/memory.ts';
import { nginxMemory, nginxProcesses } from '../support/nginx.ts';
import { domainOf, openScene, type Scene } from '../support/scene.ts';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';

const ROUNDS = extent(10, 50);
/** A program that has done little yet still grows by the code that it compiles. */
const WARM_UP_ROUNDS = extent(2, 0);
/** Connections of each kind that are open at the same time, at each door. */
const CONNECTIONS = extent(10, 50);
const DRIBBLES = 5;
/** On a machine that does nothing else, others hardly wait. */
const ORDINARY_LIMIT_MS = extent(20_000, 2000);
const MEMORY_RATIO_MAX = extent(1.2, 1.1);
const GONE_LIMIT_MS = 20_000;

let scene: Scene;
let doors: Door[];

beforeAll(async () => {
  scene = await openScene(WITH_MEMORY);
  await scene.expose('steady');
  const { ports } = scene.gateway;
  const headers = `Authorization: Bearer ${scene.token}\r\nContent-Type: application/json\r\n`;
  const api = { path: '/api/nodes', headers };
  doors = [
    { what: "the gateway's own listener", port: ports.api, host: '127.0.0.1', tls: false, ...api },
    { what: 'the console', port: ports.console, host: 'localhost', tls: true, ...api },
    { what: 'a service', port: ports.https, host: domainOf('steady'), tls: true, path: '/x', headers: '' },
    { what: 'plain HTTP', port: ports.http, host: domainOf('steady'), tls: false, path: '/x', headers: '' },
  ];
});
afterAll(() => scene?.close());

/** Requests that end somewhere in their head. */
const half = (door: Door, cut: number): RawSocket => {
  const text = headOf(door, 'GET');
  return openRaw(door, text.slice(0, 1 + (cut % text.length)));
};

/** Requests whose body never comes to its end. */
const slow = (door: Door): RawSocket => openRaw(door, `${headOf(door, 'POST')}Content-Length: 100000\r\n\r\n{`);

const HUGE = [
  (door: Door) => `${headOf(door, 'GET')}X-Huge: ${'h'.repeat(12_000)}\r\n`,
  (door: Door) => `${headOf(door, 'GET')}X-Huge: ${'h'.repeat(24_000)}\r\n`,
  (door: Door) =>
    `${headOf(door, 'GET')}X-Huge: ${'h'.repeat(30_000)}\r\n${`X-More: ${'m'.repeat(25_000)}\r\n`.repeat(3)}`,
  (door: Door) => `${headOf(door, 'GET')}X-Huge: ${'h'.repeat(1_000_000)}\r\n`,
  (door: Door) => headOf(door, 'GET') + 'X-Many: 1\r\n'.repeat(5000),
  (door: Door) => `GET ${door.path}?${'q'.repeat(100_000)} HTTP/1.1\r\nHost: ${door.host}:${door.port}\r\n`,
];
const huge = (door: Door, kind: number): RawSocket =>
  openRaw(door, `${HUGE[kind % HUGE.length]?.(door) ?? ''}Connection: close\r\n\r\n`);

/** An ordinary request meanwhile; how long its answer took. */
async function ordinary(door: Door): Promise<number> {
  const begin = performance.now();
  const sent = openRaw(door, `${headOf(door, 'GET')}Connection: close\r\n\r\n`);
  const status = await sent.ended;
  expect(status, `an ordinary request to ${door.what}`).toBe(door.what === 'plain HTTP' ? 308 : 200);
  return performance.now() - begin;
}

test('half requests, slow bodies and huge headers, at every door', { timeout: extent(120_000, 900_000) }, async () => {
  const { pid } = scene.gateway.child();
  // Three of the four doors are nginx's. What served before the service was there may be about to end.
  const workers = () => nginxProcesses(scene.gateway.data)?.workers ?? [];
  await until('the old workers are gone', GONE_LIMIT_MS, () => workers().every(({ closing }) => !closing));
  const nginx = nginxProcesses(scene.gateway.data);
  const cuts = drawn((WARM_UP_ROUNDS + ROUNDS) * CONNECTIONS, 0, 10_000);
  const statuses: number[] = [];
  const note = (door: Door, status: number): void => {
    statuses.push(status);
    expect(status, `from ${door.what}`).toBeLessThan(500);
  };
  const waits: number[] = [];
  let opened = 0;
  let memoryBefore = 0;
  let nginxBefore = 0;

  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    for (const door of doors) {
      const numbers = cuts.slice(round * CONNECTIONS, (round + 1) * CONNECTIONS);
      const halves = numbers.map((cut) => half(door, cut));
      const slows = numbers.map(() => slow(door));
      const huges = numbers.map((_, index) => huge(door, index));
      opened += 3 * CONNECTIONS;
      // Their handshakes cost this program as much as nginx; what others wait for meanwhile says nothing about either.
      for (const { sent } of [...halves, ...slows, ...huges]) await sent;
      for (let dribble = 0; dribble < DRIBBLES; dribble += 1) {
        for (const { socket } of slows) socket.write(' ');
        waits.push(await ordinary(door));
      }
      for (const { ended } of huges) note(door, await ended);
      // Every other one hangs up in an orderly way and gets what answer there is, the rest vanish.
      halves.forEach(({ socket }, index) => void (index % 2 === 0 ? socket.end() : socket.destroy()));
      for (const [index, { ended }] of halves.entries()) if (index % 2 === 0) note(door, await ended);
      for (const { socket } of slows) socket.destroy();
      for (const { ended } of slows) note(door, await ended);
    }
    if (round !== WARM_UP_ROUNDS + ROUNDS / 10 - 1) continue;
    memoryBefore = await gatewayMemory(scene.gateway);
    nginxBefore = nginxMemory(scene.gateway.data);
  }

  const memoryAfter = await gatewayMemory(scene.gateway);
  const nginxAfter = nginxMemory(scene.gateway.data);
  report(
    'raw sockets',
    `${opened} connections with half requests, slow bodies and huge headers, answered with ${tally(statuses)}; ordinary requests meanwhile took ${spread(waits)}; ${megabytes(memoryBefore)} of memory at a tenth of the way, ${megabytes(memoryAfter)} at the end, nginx ${megabytes(nginxBefore)} and ${megabytes(nginxAfter)}`,
    'nothing',
  );
  expect(scene.gateway.child().pid).toBe(pid);
  expect(scene.gateway.child().exitCode).toBeNull();
  expect(Math.max(...waits)).toBeLessThan(ORDINARY_LIMIT_MS);
  expect(memoryAfter / memoryBefore).toBeLessThanOrEqual(MEMORY_RATIO_MAX);
  // The same workers: none was replaced.
  expect(nginxProcesses(scene.gateway.data)).toEqual(nginx);
  expect(nginxAfter / nginxBefore).toBeLessThanOrEqual(MEMORY_RATIO_MAX);
});

/** A door of the gateway: its own listener, or one of nginx's ports. */
type Door = { what: string; port: number; host: string; path: string; headers: string; tls: boolean };

/** A connection that says whatever it is told to. */
type RawSocket = {
  socket: Socket;
  /** Fulfilled when the system has taken all of it, or the connection has ended. */
  sent: Promise<void>;
  /** The first answer's status; 0 when the connection ended without one. */
  ended: Promise<number>;
};

/** One for all: to make it takes longer than to shake hands. */
const secureContext = createSecureContext();
const statusOf = (answer: string): number => Number(/^HTTP\/1\.\d (\d{3})/.exec(answer)?.[1] ?? 0);

/** Opens a connection and sends `text`. */
function openRaw({ port, host, tls }: Door, text: string): RawSocket {
  const to = { host: '127.0.0.1', port };
  const socket = tls
    ? connectTls({ ...to, servername: host, rejectUnauthorized: false, secureContext, ALPNProtocols: ['http/1.1'] })
    : connectPlain(to);
  let answer = '';
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  const { promise: sent, resolve: wasSent } = Promise.withResolvers<void>();
  socket.on('data', (chunk: Buffer) => {
    if (answer.length < 4096) answer += chunk.toString('latin1');
  });
  // To be cut off is an answer, too.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    wasSent();
    resolve(statusOf(answer));
  });
  socket.write(text, () => wasSent());
  return { socket, sent, ended };
}

/** The beginning of a request, all of it but the empty line. */
const headOf = ({ host, port, path, headers }: Door, method: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAccept: */*\r\n${headers}`;
