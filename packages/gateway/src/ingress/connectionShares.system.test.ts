import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  expose,
  openReconcileTrial,
  openVisit,
  PORTS,
  type ReconcileTrial,
  save,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { aNode } from '../testing/storedRows.ts';
import { askTcp, exposeTcp, openUdpClient, startTcpBackend, startUdpBackend } from '../testing/tcpTrial.ts';
import { openHttp2 } from '../testing/wire.ts';
import { createNodeKeys } from '../vault/keyVault.ts';

/** In each worker, instead of thousands: so few are filled at once. */
const CONNECTIONS = 512;
const WORKERS = availableParallelism();
/** More than all workers have room for. */
const CROWD = CONNECTIONS * WORKERS;
/** Of one HTTP/2 connection. */
const STREAMS = 32;

let trial: ReconcileTrial;
/** What a test has open. */
const stops: (() => unknown)[] = [];
let tcpPort = 0;

beforeAll(async () => {
  trial = await openReconcileTrial({ connections: CONNECTIONS, tunnel: true });
  const web = await startBackend((_request, response) => response.end('web'));
  const tcp = await startTcpBackend((socket) => {
    void text(socket).then((words) => socket.end(`heard:${words}`));
  });
  await expose(trial, 'other.example.test', web.port);
  tcpPort = (await exposeTcp(trial, tcp.port)).value.port;
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});
afterAll(() => trial.close());

/** What the others answer, each again and again on connections of its own. */
async function answersOfOthers(): Promise<Record<'web' | 'console' | 'tcp', unknown>[]> {
  const answers = [];
  for (let count = 0; count < 4 * WORKERS; count += 1) {
    const { body } = await visit(trial, 'other.example.test');
    const { status } = await visit(trial, 'gateway.test', { port: PORTS.console });
    answers.push({ web: body, console: status, tcp: await askTcp(tcpPort, 'x') });
  }
  return answers;
}
// The trial has no console: nginx says so, and needs the same connections for it.
const ALL_ANSWER = Array.from({ length: 4 * WORKERS }, () => ({ web: 'web', console: 502, tcp: 'heard:x' }));

describe('a service leaves room for the others and the console', () => {
  it('when a TCP port is full of connections that say nothing', async () => {
    const silent = await startTcpBackend(() => undefined);
    const { port } = (await exposeTcp(trial, silent.port)).value;
    let ended = 0;
    const sockets = Array.from({ length: CROWD }, () => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.on('error', () => undefined);
      socket.on('close', () => (ended += 1));
      return socket;
    });
    stops.push(() => sockets.forEach((socket) => socket.destroy()));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect(await answersOfOthers()).toEqual(ALL_ANSWER);
    // An eighth of a worker's room, and not less.
    await expect.poll(() => CROWD - ended).toBeLessThanOrEqual((CONNECTIONS / 8) * WORKERS);
    expect(CROWD - ended).toBeGreaterThanOrEqual(CONNECTIONS / 8);
  });

  it('when packets come to two UDP ports of a node from many addresses, also for UDP of other nodes', async () => {
    const backend = createSocket('udp4').bind(0, '127.0.0.1');
    await once(backend, 'listening');
    stops.push(() => backend.close());
    const echo = await startUdpBackend();
    // Another node of this machine: what counts is whose the service is.
    const other = (await save(trial, (tx) => tx.nodes.create({ ...aNode, isLocal: true }))).value;
    const { port: otherPort } = (await exposeTcp(trial, echo.port, { proto: 'udp', nodeId: other.id })).value;
    const ports: number[] = [];
    while (ports.length < 2) {
      ports.push((await exposeTcp(trial, backend.address().port, { proto: 'udp' })).value.port);
    }
    const sockets = Array.from({ length: 2 * CROWD }, () => createSocket('udp4'));
    stops.push(() => sockets.forEach((socket) => socket.close()));
    for (const socket of sockets) {
      for (const port of ports) {
        await new Promise<void>((sent) => socket.send('x', port, '127.0.0.1', () => sent()));
      }
    }
    expect(await answersOfOthers()).toEqual(ALL_ANSWER);
    for (let count = 0; count < 2 * WORKERS; count += 1) {
      const client = openUdpClient(otherPort);
      expect(await client.ask(1)).toHaveLength(1);
    }
  });

  it('when a backend leaves requests without an answer', async () => {
    const silent = await startBackend(() => undefined);
    await expose(trial, 'one.example.test', silent.port);
    await crowdPaths('one.example.test', ['/']);
    expect(await answersOfOthers()).toEqual(ALL_ANSWER);
  });

  it('when all backends of a node leave requests without an answer', async () => {
    const address = '127.0.0.2';
    const row = { ...aNode, name: 'silent', address, publicKey: createNodeKeys().publicKey };
    const { value: nodeId } = await save(trial, async (tx) => (await tx.nodes.create(row)).id);
    let came = 0;
    const paths = Array.from({ length: 8 }, (_, index) => `/${index}`);
    for (const pathLocation of paths) {
      const silent = await startBackend(() => void (came += 1), undefined, address);
      await expose(trial, 'silent.example.test', silent.port, { nodeId, pathLocation });
    }
    await crowdPaths('silent.example.test', paths);
    expect(await answersOfOthers()).toEqual(ALL_ANSWER);
    // What one backend may have, and not less.
    await expect.poll(() => came).toBeGreaterThanOrEqual((CONNECTIONS * 3) / 16);
    expect(came).toBeLessThanOrEqual(((CONNECTIONS * 3) / 16) * WORKERS);
  });
});

/** Sends requests to those paths in turn, as many as all workers have room for, and leaves them open. */
async function crowdPaths(host: string, paths: readonly string[]): Promise<void> {
  for (let sent = 0; sent < CROWD; sent += STREAMS) {
    const session = await openHttp2(trial, host);
    session.on('error', () => undefined);
    stops.push(() => session.destroy());
    for (let count = 0; count < STREAMS; count += 1) {
      const path = paths[count % paths.length] ?? '/';
      const request = session.request({ ':path': path, ':authority': `${host}:${PORTS.https}` });
      request.on('error', () => undefined);
    }
    // nginx has seen all that was sent before.
    await new Promise<void>((seen) => session.ping(() => seen()));
  }
}

it('a backend of a node cannot have nginx keep its answers, which takes eight buffers for each', async () => {
  const address = '127.0.0.3';
  const row = { ...aNode, name: 'kept', address, publicKey: createNodeKeys().publicKey };
  const { value: nodeId } = await save(trial, async (tx) => (await tx.nodes.create(row)).id);
  const { port, stop } = await startBackend(
    (_request, response) => void response.setHeader('X-Accel-Buffering', 'yes').write('a part'),
    undefined,
    address,
  );
  stops.push(stop);
  await expose(trial, 'kept.example.test', port, { nodeId });
  // A buffer that is not full would be kept until the answer ends.
  const [part] = (await once(await openVisit(trial, 'kept.example.test'), 'data')) as [Buffer];
  expect(String(part)).toBe('a part');
});

describe('the console', () => {
  let answers: Awaited<ReturnType<typeof answersOfOthers>> = [];

  /** Sends the console requests that never end, over connections from those addresses; returns what tells how many came to it. */
  async function crowd(addresses: readonly string[]): Promise<() => number> {
    let came = 0;
    const gateway = createServer((request, response) => {
      request.on('error', () => undefined);
      if (request.method === 'POST') came += 1;
      else response.end('console');
    }).listen(trial.ingress.layout.gatewaySocket);
    await once(gateway, 'listening');
    chmodSync(trial.ingress.layout.gatewaySocket, 0o666);
    stops.push(() => {
      gateway.closeAllConnections();
      gateway.close();
    });
    for (const localAddress of addresses) {
      const session = await openHttp2(trial, 'gateway.test', { port: PORTS.console, localAddress });
      session.on('error', () => undefined);
      stops.push(() => session.destroy());
      for (let count = 0; count < STREAMS; count += 1) {
        const request = session.request(
          { ':method': 'POST', ':path': '/api/auth/login', ':authority': `gateway.test:${PORTS.console}` },
          { endStream: false },
        );
        request.on('error', () => undefined);
      }
      // nginx has seen all that was sent before.
      await new Promise<void>((seen) => session.ping(() => seen()));
    }
    answers = await answersOfOthers();
    return () => came;
  }
  const SESSIONS = Math.ceil((2 * CROWD) / STREAMS);

  it('answers when one address sends it requests that never end', async () => {
    const came = await crowd(Array.from({ length: SESSIONS }, () => '127.0.0.2'));
    expect(answers).toEqual(ALL_ANSWER.map((each) => ({ ...each, console: 200 })));
    await expect.poll(came).toBeGreaterThanOrEqual(CONNECTIONS / 128);
  });

  it('leaves room for all services when many addresses do', async () => {
    const came = await crowd(Array.from({ length: SESSIONS }, (_, index) => `127.0.1.${index + 1}`));
    expect(answers.map(({ web, tcp }) => [web, tcp])).toEqual(ALL_ANSWER.map(({ web, tcp }) => [web, tcp]));
    await expect.poll(came).toBeGreaterThanOrEqual(CONNECTIONS / 16);
  });
});
