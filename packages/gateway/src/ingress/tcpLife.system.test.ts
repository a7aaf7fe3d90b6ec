import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasNetworkRights } from '../machine/ownProcess.ts';
import { type GatewayTrial, openGatewayTrial } from '../testing/gatewayTrial.ts';
import { askTcp, openUdpClient, startTcpBackend, startUdpBackend } from '../testing/tcpTrial.ts';
import { endOf } from '../testing/wire.ts';

// The time to live of TCP and UDP services, through the API and as visitors see it.

let trial: GatewayTrial;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  trial = await openGatewayTrial();
});
afterAll(async () => {
  await trial.stopGateway();
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

const TCP = '/api/services/1/tcp';
/** How long nothing must come before nothing counts as coming. */
const SILENCE_MS = 300;
type Service = { id: number; port: number; expiresAt: string | null };

async function create(backendPort: number, rest: object): Promise<Service & { end: number }> {
  const reply = await trial.api(`POST ${TCP}`, { name: 'Life', backendHost: '127.0.0.1', backendPort, ...rest });
  expect(reply.status).toBe(200);
  const service = reply.body as Service;
  return { ...service, end: Date.parse(service.expiresAt ?? '') };
}
const get = async (id: number): Promise<unknown> => (await trial.api(`GET ${TCP}/${id}`)).body;

/** Asks until there is no answer any more; returns the moment at which there was none first. */
async function closedAt(answers: () => Promise<boolean>): Promise<number> {
  await expect.poll(answers, { interval: 20 }).toBe(false);
  return Date.now();
}

async function tcpBackend(): Promise<number> {
  const { port, stop } = await startTcpBackend((socket) => void socket.pipe(socket));
  stops.push(stop);
  return port;
}
const isOpen = (port: number): Promise<boolean> =>
  askTcp(port, 'x').then(
    (words) => words === 'x',
    () => false,
  );

describe('a time to live', () => {
  it('closes a TCP port at its second, with what is open through it, and no other', async ({ skip }) => {
    skip(!hasNetworkRights(), 'only root may end connections, and not in every container');
    const backend = await tcpBackend();
    const { id, port, end } = await create(backend, { ttl: '4s' });
    const other = await create(backend, {});
    const visitor = connect({ host: '127.0.0.1', port });
    const cut = endOf(visitor);
    visitor.write('in');
    await once(visitor, 'data');
    const closed = await closedAt(() => isOpen(port));
    for (const moment of [closed, await cut]) expect(moment).toBeGreaterThanOrEqual(end);
    expect(await get(id)).toMatchObject({ enabled: false, expiresAt: null, closedBy: 'time-limit' });
    expect(await isOpen(other.port)).toBe(true);
  });

  it('closes a UDP port at its second', async () => {
    const backend = await startUdpBackend();
    stops.push(backend.stop);
    const { id, port, end } = await create(backend.port, { proto: 'udp', ttl: '4s' });
    const client = openUdpClient(port);
    stops.push(client.close);
    await client.ask(1);
    await expect.poll(() => get(id)).toMatchObject({ enabled: false, expiresAt: null, closedBy: 'time-limit' });
    expect(Date.now()).toBeGreaterThanOrEqual(end);
    const isSilent = (): Promise<boolean> =>
      Promise.race([client.ask(1).then(() => false), sleep(SILENCE_MS).then(() => true)]).catch(() => true);
    await expect.poll(isSilent).toBe(true);
  });

  it('that ends while the gateway is down closes the port before it says that it serves', async () => {
    const { id, port, end } = await create(await tcpBackend(), { ttl: '4s' });
    await trial.stopGateway();
    await sleep(end + 10 - Date.now());
    // nginx serves on by itself; nobody is there to tell it.
    expect(await isOpen(port)).toBe(true);
    await trial.startGateway();
    expect(await isOpen(port)).toBe(false);
    expect(await get(id)).toMatchObject({ enabled: false, expiresAt: null });
  });
});
