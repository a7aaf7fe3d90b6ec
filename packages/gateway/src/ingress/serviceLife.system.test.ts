import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasNetworkRights } from '../machine/ownProcess.ts';
import { type GatewayTrial, openGatewayTrial } from '../testing/gatewayTrial.ts';
import { PORTS, servedFiles, startBackend, visit, writeByHand } from '../testing/reconcileTrial.ts';
import { askTcp, openUdpClient, startTcpBackend, startUdpBackend } from '../testing/tcpTrial.ts';
import { problemsIn } from '../testing/testApi.ts';
import { acceptUpgrade, endOf, openWebSocket } from '../testing/wire.ts';

// A service from its creation to its end, through the API and as visitors see it.

/** How long nothing must come before nothing counts as coming. */
const SILENCE_MS = 300;
const mayEnd = hasNetworkRights();

type Service = {
  id: number;
  port: number;
  publicAccess: string;
  expiresAt: string | null;
  enabled: boolean;
  end: number;
};
type Request = Parameters<GatewayTrial['api']>[0];

let trial: GatewayTrial;
let web: { port: number };
let tcp: { port: number };
const stops: (() => unknown)[] = [];

beforeAll(async () => {
  web = await startWeb();
  tcp = await startTcpBackend((socket) => void socket.pipe(socket));
  trial = await openGatewayTrial();
});
afterAll(async () => {
  await trial.stopGateway();
  await trial.close();
  for (const stop of stops) await stop();
});

const startWeb = () =>
  startBackend(
    (_request, response) => response.end('open'),
    (_request, socket) => acceptUpgrade(socket),
  );
async function call(request: Request, body?: object): Promise<Record<string, unknown>> {
  const reply = await trial.api(request, body);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body;
}
async function create(type: 'http' | 'tcp', rest: object = {}): Promise<Service> {
  const backendPort = (type === 'http' ? web : tcp).port;
  const body = { name: 'Life', backendHost: '127.0.0.1', backendPort, ...rest };
  const service = (await call(`POST /api/services/1/${type}`, body)) as Omit<Service, 'end'>;
  return { ...service, end: Date.parse(service.expiresAt ?? '') };
}
const get = (type: 'http' | 'tcp', { id }: Service) => call(`GET /api/services/1/${type}/${id}`);
const statusOf = async (host: string): Promise<number> => (await visit(trial, host)).status;
const isOpen = (port: number): Promise<boolean> =>
  askTcp(port, 'x').then(
    (words) => words === 'x',
    () => false,
  );

/** Asks until the answer is that one; returns the moment at which it came first. */
async function momentOf<T>(ask: () => Promise<T>, answer: T): Promise<number> {
  await expect.poll(ask, { interval: 20 }).toBe(answer);
  return Date.now();
}

async function echo(socket: Socket): Promise<string> {
  socket.write('echo');
  return String((await once(socket, 'data'))[0]);
}
async function openTcp(port: number): Promise<{ socket: Socket; ended: Promise<number> }> {
  const socket = connect({ host: '127.0.0.1', port });
  const ended = endOf(socket);
  expect(await echo(socket)).toBe('echo');
  return { socket, ended };
}

describe('enabling and disabling an HTTP service', () => {
  it('has a public address that a visitor can use, with the port when it is not the usual one', async () => {
    const host = 'public.example.test';
    const { publicAccess } = await create('http', { domain: host, pathLocation: '/here' });
    expect(publicAccess).toBe(`https://${host}:${PORTS.https}/here`);
    const { hostname, port, pathname } = new URL(publicAccess);
    expect((await visit(trial, hostname, { port: Number(port), path: pathname })).body).toBe('open');
    const bare = await create('http', { pathLocation: '/bare' });
    expect(bare.publicAccess).toBe(`https://gateway.test:${PORTS.https}/bare`);
  });
});

describe('the port of a TCP service', () => {
  const portOf = async (more: object = {}): Promise<number> => (await create('tcp', more)).port;
  const remove = async ({ id }: Service): Promise<unknown> => call(`DELETE /api/services/1/tcp/${id}`);

  it('is none that another program of the machine listens on, whether it is asked for or not', async () => {
    const next = await create('tcp');
    await remove(next);
    const stranger = createServer().listen(next.port, '127.0.0.1');
    await once(stranger, 'listening');
    stops.push(() => stranger.close());
    const port = await portOf();
    expect(port).toBeGreaterThan(next.port);
    expect(await isOpen(port)).toBe(true);
    const body = { name: 'Life', backendHost: '127.0.0.1', backendPort: tcp.port, port: next.port };
    expect(problemsIn(await trial.api('POST /api/services/1/tcp', body))).toEqual({
      port: `Port ${next.port} is in use by another process. Free it or choose another port.`,
    });
    // The same number over UDP is free, until a program listens there.
    const udp = await create('tcp', { proto: 'udp' });
    expect(udp.port).toBe(next.port);
    await remove(udp);
    const other = createSocket('udp4').bind(udp.port, '127.0.0.1');
    await once(other, 'listening');
    stops.push(() => other.close());
    expect(await portOf({ proto: 'udp' })).toBeGreaterThan(udp.port);
  });
});

describe('closing a TCP service', () => {
  beforeEach(({ skip }) => skip(!mayEnd, 'only root may end connections, and not in every container'));

  type Scene = { id: number; domainId: number };
  it.each<[string, (scene: Scene) => Request]>([
    ['is disabled', ({ id }) => `PATCH /api/services/1/tcp/${id}/disable`],
    ['is deleted', ({ id }) => `DELETE /api/services/1/tcp/${id}`],
    ['loses its domain', ({ domainId }) => `DELETE /api/domains/${domainId}`],
  ])('ends what is open when it %s, closes the port, and leaves others alone', async (_how, of) => {
    const naming = (port: number): string[] =>
      servedFiles(trial).flatMap(({ path, text }) => (new RegExp(`:${port}\\b`).test(text) ? [path] : []));
    const domain = 'closing.example.test';
    const domainId = Number((await call('POST /api/domains', { domain, skipValidation: true }))['id']);
    const [gone, kept] = [await create('tcp', { domain }), await create('tcp')];
    const [closed, open] = [await openTcp(gone.port), await openTcp(kept.port)];
    expect(naming(gone.port)).not.toEqual([]);

    await call(of({ id: gone.id, domainId }));
    await closed.ended;
    await expect(askTcp(gone.port, 'x')).rejects.toThrow('ECONNREFUSED');
    expect(naming(gone.port)).toEqual([]);
    expect(await echo(open.socket)).toBe('echo');
    open.socket.destroy();
    await trial.api(`DELETE /api/domains/${domainId}`);
  });
});

describe('a time to live', () => {
  it('closes a service at its second, with what is open through it, and no other', async () => {
    const udpBackend = await startUdpBackend();
    // Of its own: where open services lead to the same backend, their answers are waited for.
    const socketBackend = await startWeb();
    const ttl = '1h';
    const [page, socket, port, udp, kept] = await Promise.all([
      create('http', { domain: 'ttl.example.test', ttl }),
      create('http', { domain: 'socket.example.test', ttl, backendPort: socketBackend.port }),
      create('tcp', { ttl }),
      create('tcp', { proto: 'udp', ttl, backendPort: udpBackend.port }),
      create('http', { domain: 'kept.example.test', ttl }),
      create('http', { domain: 'forever.example.test' }),
    ]);
    const other = await create('tcp');
    // It stays when the service is changed without one, and goes when it is enabled.
    const renamed = await call(`PATCH /api/services/1/http/${page.id}`, { name: 'Renamed' });
    const enabled = await call(`PATCH /api/services/1/http/${kept.id}/enable`);
    expect([renamed['expiresAt'], enabled['expiresAt']]).toEqual([page.expiresAt, null]);

    const webSocket = await openWebSocket(trial, 'socket.example.test');
    const connection = await openTcp(port.port);
    const client = openUdpClient(udp.port);
    await client.ask(1);
    // Now that all is open, each is given a shorter one.
    const shorten = async (type: 'http' | 'tcp', { id }: Service): Promise<number> => {
      const { expiresAt } = await call(`PATCH /api/services/1/${type}/${id}`, { ttl: '4s' });
      return Date.parse(String(expiresAt));
    };
    const [pageEnd, socketEnd, portEnd, udpEnd] = await Promise.all([
      shorten('http', page),
      shorten('http', socket),
      shorten('tcp', port),
      shorten('tcp', udp),
    ]);
    const ends: [moment: Promise<number>, end: number][] = [
      [momentOf(() => statusOf('ttl.example.test'), 404), pageEnd],
      [momentOf(() => isOpen(port.port), false), portEnd],
      [momentOf(async () => (await get('tcp', udp))['enabled'], false), udpEnd],
    ];
    if (mayEnd) ends.push([webSocket.ended, socketEnd], [connection.ended, portEnd]);
    for (const [moment, end] of ends) expect((await moment) - end).toBeGreaterThanOrEqual(0);

    const closed = { enabled: false, expiresAt: null, closedBy: 'time-limit' };
    const problem = expect.stringMatching(/^Closed on .+ by its time limit\./);
    expect(await get('http', page)).toMatchObject({ ...closed, closedAt: new Date(pageEnd).toISOString(), problem });
    expect(await get('tcp', port)).toMatchObject(closed);
    const isSilent = (): Promise<boolean> =>
      Promise.race([client.ask(1).then(() => false), sleep(SILENCE_MS).then(() => true)]).catch(() => true);
    await expect.poll(isSilent).toBe(true);
    // Visitors are told nothing of that.
    const { body } = await visit(trial, 'ttl.example.test');
    expect(body).toContain('<h1>Nothing here</h1>');
    expect(body).not.toMatch(/time limit|nginx|closed on/i);
    for (const name of ['forever.example.test', 'kept.example.test']) expect(await statusOf(name)).toBe(200);
    expect(await isOpen(other.port)).toBe(true);
  });

  it('that ends while the gateway is down closes the service before it says that it serves', async () => {
    const [host, late] = ['down.example.test', 'late.example.test'];
    const [page, after, port] = await Promise.all([
      create('http', { domain: host, ttl: '1h' }),
      create('http', { domain: late, ttl: '1h' }),
      create('tcp', { ttl: '1h' }),
    ]);
    await trial.stopGateway();
    // Now that it is down, as if the hour were over.
    const expiresAt = new Date().toISOString();
    const lateEnd = Date.now() + 4000;
    const expire = (table: string, at: string, { id }: Service): void =>
      writeByHand(trial, `update ${table} set expires_at = ? where id = ?`, at, id);
    expire('http_services', expiresAt, page);
    expire('tcp_services', expiresAt, port);
    expire('http_services', new Date(lateEnd).toISOString(), after);
    // nginx serves on by itself; no gateway is there to tell it.
    expect([await statusOf(host), await isOpen(port.port)]).toEqual([200, true]);
    await trial.startGateway();
    expect([await statusOf(host), await isOpen(port.port)]).toEqual([404, false]);
    const closed = { enabled: false, expiresAt: null, closedBy: 'time-limit' };
    expect(await get('http', page)).toMatchObject({ ...closed, closedAt: expiresAt });
    expect(await get('tcp', port)).toMatchObject(closed);
    // One that has not ended yet still ends at its second.
    expect((await momentOf(() => statusOf(late), 404)) - lateEnd).toBeGreaterThanOrEqual(0);
  });
});
