import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayTrial, openGatewayTrial } from '../testing/gatewayTrial.ts';
import { askTcp, startTcpBackend } from '../testing/tcpTrial.ts';
import { problemsIn } from '../testing/testApi.ts';

let trial: GatewayTrial;
let backendPort = 0;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  trial = await openGatewayTrial();
  const { port, stop } = await startTcpBackend((socket) => {
    void text(socket).then((words) => socket.end(`heard:${words}`));
  });
  backendPort = port;
  stops.push(stop);
});
afterAll(async () => {
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

const create = (more: object = {}) =>
  trial.api('POST /api/services/1/tcp', { name: 'S', backendHost: '127.0.0.1', backendPort, ...more });
const portOf = async (more: object = {}): Promise<number> => {
  const { status, body } = await create(more);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return Number(body['port']);
};
const remove = async (port: number): Promise<void> => {
  const [row] = await trial.store.tcpServices.all({ port });
  await trial.api(`DELETE /api/services/1/tcp/${row?.id ?? 0}`);
};

it('is none that another program of the machine listens on, whether it is asked for or not', async () => {
  const next = await portOf();
  await remove(next);
  const stranger = createServer().listen(next, '127.0.0.1');
  await once(stranger, 'listening');
  stops.push(() => once(stranger.close(), 'close'));
  const port = await portOf();
  expect(port).toBeGreaterThan(next);
  expect(await askTcp(port, 'x')).toBe('heard:x');
  expect(problemsIn(await create({ port: next }))).toEqual({
    port: `Port ${next} is in use by another process. Free it or choose another port.`,
  });
  // The same number over UDP is free.
  expect(await portOf({ proto: 'udp' })).toBe(next);
});

it('is none that a program listens on over UDP', async () => {
  const next = await portOf({ proto: 'udp' });
  await remove(next);
  const stranger = createSocket('udp4').bind(next, '127.0.0.1');
  await once(stranger, 'listening');
  stops.push(() => new Promise((done) => void stranger.close(() => done(null))));
  expect(await portOf({ proto: 'udp' })).toBeGreaterThan(next);
});

it('is open for each of many that are exposed at once', async () => {
  const ports = await Promise.all(Array.from({ length: 8 }, () => portOf()));
  expect(new Set(ports).size).toBe(8);
  expect(await Promise.all(ports.map((port) => askTcp(port, 'x')))).toEqual(ports.map(() => 'heard:x'));
});

it('stays when the service is closed and opened again', async () => {
  const { body } = await create();
  const path = `/api/services/1/tcp/${String(body['id'])}` as const;
  const port = Number(body['port']);
  await trial.api(`PATCH ${path}/disable`);
  await expect(askTcp(port, 'x')).rejects.toThrow('ECONNREFUSED');
  expect((await trial.api(`PATCH ${path}/enable`)).body).toMatchObject({ port, enabled: true, problem: null });
  expect(await askTcp(port, 'x')).toBe('heard:x');
});
