import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasNetworkRights } from '../machine/ownProcess.ts';
import { type GatewayTrial, openGatewayTrial } from '../testing/gatewayTrial.ts';
import { PORTS, startBackend, visit } from '../testing/reconcileTrial.ts';
import { acceptUpgrade, endOf, openSocket } from '../testing/wire.ts';

// A service from its creation to its end, through the API and as visitors see it.

let trial: GatewayTrial;
let port: number;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ port, stop } = await startBackend((_request, response) => response.end('open')));
  trial = await openGatewayTrial();
});
afterAll(async () => {
  await trial.stopGateway();
  await trial.close();
  await stop();
});

const HTTP = '/api/services/1/http';
type Service = { id: number; publicAccess: string; expiresAt: string | null; enabled: boolean; problem: string | null };

async function create(domain: string | null, rest: object = {}): Promise<Service> {
  const body = { name: 'Life', domain, backendHost: '127.0.0.1', backendPort: port, ...rest };
  const reply = await trial.api(`POST ${HTTP}`, body);
  expect(reply.status).toBe(200);
  return reply.body as Service;
}
const get = async (id: number): Promise<Service> => (await trial.api(`GET ${HTTP}/${id}`)).body as Service;
const statusOf = async (host: string): Promise<number> => (await visit(trial, host)).status;

/** Visits until the answer is that one; returns the moment at which it came first. */
async function momentOf(host: string, status: number): Promise<number> {
  await expect.poll(() => statusOf(host), { interval: 20 }).toBe(status);
  return Date.now();
}

describe('enabling and disabling', () => {
  it('opens and closes, and has done so when it answers', async () => {
    const host = 'switch.example.test';
    const { id } = await create(host);
    expect(await statusOf(host)).toBe(200);
    for (const [verb, status] of [
      ['disable', 404],
      ['enable', 200],
      ['disable', 404],
    ] as const) {
      const reply = await trial.api(`PATCH ${HTTP}/${id}/${verb}`);
      expect(reply).toMatchObject({ status: 200, body: { enabled: verb === 'enable' } });
      expect(await statusOf(host)).toBe(status);
    }
  });

  it('leaves a service of the same domain alone', async () => {
    const host = 'pair.example.test';
    await create(host);
    const inner = await create(host, { pathLocation: '/inner' });
    await trial.api(`PATCH ${HTTP}/${inner.id}/disable`);
    expect(await statusOf(host)).toBe(200);
    expect((await visit(trial, host, { path: '/inner/x' })).status).toBe(404);
  });
});

describe('the public address', () => {
  it('is the one that a visitor can use, with the port when it is not the usual one', async () => {
    const host = 'public.example.test';
    const { publicAccess } = await create(host, { pathLocation: '/here' });
    expect(publicAccess).toBe(`https://${host}:${PORTS.https}/here`);
    const { hostname, port: given, pathname } = new URL(publicAccess);
    expect((await visit(trial, hostname, { port: Number(given), path: pathname })).body).toBe('open');
    expect((await create(null, { pathLocation: '/bare' })).publicAccess).toBe(
      `https://gateway.test:${PORTS.https}/bare`,
    );
  });
});

describe('a time to live', () => {
  it('closes the service at its second, not before, and not for those who were given none', async () => {
    const host = 'ttl.example.test';
    const { id, expiresAt } = await create(host, { ttl: '4s' });
    await create('forever.example.test');
    const end = Date.parse(expiresAt ?? '');
    const closed = await momentOf(host, 404);
    expect(closed - end).toBeGreaterThanOrEqual(0);
    const problem = expect.stringMatching(/^Closed on .+ by its time limit\./);
    expect(await get(id)).toMatchObject({ enabled: false, expiresAt: null, closedAt: expiresAt, problem });
    expect(await statusOf('forever.example.test')).toBe(200);
    // Visitors are told nothing of that.
    const { body } = await visit(trial, host);
    expect(body).toContain('<h1>Nothing here</h1>');
    expect(body).not.toMatch(/time limit|nginx|closed on/i);
  });

  it('ends a WebSocket at its second', async ({ skip }) => {
    skip(!hasNetworkRights(), 'only root may end connections, and not in every container');
    const host = 'socket.example.test';
    // Of its own: where open services lead to the same backend, their answers are waited for.
    const backend = await startBackend(
      (_request, response) => response.end('open'),
      (_request, socket) => acceptUpgrade(socket),
    );
    const { expiresAt } = await create(host, { ttl: '4s', backendPort: backend.port });
    const end = Date.parse(expiresAt ?? '');
    const socket = await openSocket(trial, host);
    const cut = endOf(socket);
    socket.write(['GET / HTTP/1.1', `Host: ${host}`, 'Upgrade: websocket', 'Connection: Upgrade', '', ''].join('\r\n'));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /);
    const late = (await cut) - end;
    await backend.stop();
    expect(late).toBeGreaterThanOrEqual(0);
  });

  it('stays when the service is changed without one, and goes when it is enabled', async () => {
    const host = 'kept.example.test';
    const { id, expiresAt } = await create(host, { ttl: '4s' });
    expect((await trial.api(`PATCH ${HTTP}/${id}`, { name: 'Renamed' })).body).toMatchObject({ expiresAt });
    expect((await trial.api(`PATCH ${HTTP}/${id}/enable`)).body).toMatchObject({ expiresAt: null, enabled: true });
    await sleep(Date.parse(expiresAt ?? '') + 300 - Date.now());
    expect(await statusOf(host)).toBe(200);
  });

  it('can be given again', async () => {
    const host = 'anew.example.test';
    const { id } = await create(host, { ttl: '1h' });
    // Long enough for the change itself to be served before.
    const { body } = await trial.api(`PATCH ${HTTP}/${id}`, { ttl: '4s' });
    const end = Date.parse((body as Service).expiresAt ?? '');
    const closed = await momentOf(host, 404);
    expect(closed - end).toBeGreaterThanOrEqual(0);
  });

  it('that ends while the gateway is down closes the service before it says that it serves', async () => {
    const host = 'down.example.test';
    const late = 'late.example.test';
    const { id, expiresAt } = await create(host, { ttl: '4s' });
    const after = await create(late, { ttl: '8s' });
    await trial.stopGateway();
    await sleep(Date.parse(expiresAt ?? '') + 10 - Date.now());
    // nginx serves on by itself; nobody is there to tell it.
    expect(await statusOf(host)).toBe(200);
    await trial.startGateway();
    expect(await statusOf(host)).toBe(404);
    expect(await get(id)).toMatchObject({
      enabled: false,
      expiresAt: null,
      closedAt: expiresAt,
      closedBy: 'time-limit',
    });
    // One that has not ended yet still ends at its second.
    const end = Date.parse(after.expiresAt ?? '');
    const closed = await momentOf(late, 404);
    expect(closed - end).toBeGreaterThanOrEqual(0);
  });

  it.each(['0s', '-1s', '1.5h', '1w', '10', 's', '3651d', '999999999d', 'soon', '1 s m'])(
    'cannot be %s',
    async (ttl) => {
      const reply = await trial.api(`POST ${HTTP}`, {
        name: 'Never',
        domain: 'never.example.test',
        backendHost: '127.0.0.1',
        ttl,
      });
      expect(reply.status).toBe(422);
      expect(JSON.stringify(reply.body)).toContain('TTL must be a string like');
    },
  );

  it.each([
    ['1s', 1],
    ['90m', 5400],
    ['3650d', 315_360_000],
  ])('may be %s', async (ttl, seconds) => {
    const asked = Date.now();
    const { expiresAt } = await create(null, { pathLocation: `/ttl${seconds}`, ttl });
    const end = Date.parse(expiresAt ?? '') - seconds * 1000;
    expect(end).toBeGreaterThanOrEqual(asked);
    expect(end).toBeLessThanOrEqual(Date.now());
  });

  it('is none when it is blank', async () => {
    expect((await create(null, { pathLocation: '/blank', ttl: '' })).expiresAt).toBeNull();
  });
});
