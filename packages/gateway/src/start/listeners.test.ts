import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { createTestGateway, TEST_ADMIN, type TestGateway } from '../testing.ts';
import type { Connection } from '../api/http/request.ts';
import { type Listeners, openListeners } from './listeners.ts';

let gateway: TestGateway;
let listeners: Listeners;
let directory: string;
let socket: string;
let listen: MockInstance<Server['listen']>;

beforeEach(async () => {
  gateway = await createTestGateway();
  listen = vi.spyOn(Server.prototype, 'listen');
  directory = mkdtempSync(join(tmpdir(), 'sallyport-listeners-'));
  socket = join(directory, 'gateway.sock');
  listeners = await openListeners({
    gateway: Promise.resolve(gateway),
    listen: { host: '127.0.0.1', port: 0 },
    socket,
    workerUser: null,
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await listeners.close();
  await gateway.stop();
  rmSync(directory, { recursive: true });
});

type Asked = { path?: string; method?: string; headers?: Record<string, string>; body?: string; byNginx?: boolean };

async function ask({ path = '/healthz', method = 'GET', headers = {}, body, byNginx = false }: Asked) {
  const where = byNginx ? { socketPath: socket } : { host: '127.0.0.1', port: listeners.port };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const sent = request({ ...where, path, method, headers: { connection: 'close', ...headers } }, (response) => {
    text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject);
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

it('lets no account but its own and nginx’s open its socket, also once it was made again', async () => {
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  rmSync(socket);
  await listeners.repairSocket();
  expect(statSync(socket).mode & 0o777).toBe(0o600);
});

it.each(['localhost', 'LOCALHOST:3000', 'app.localhost', '127.0.0.1', '127.8.9.10:80', '[::1]:3000'])(
  'answers under the loopback name %s on the plain listener',
  async (host) => {
    expect((await ask({ headers: { host } })).status).toBe(200);
  },
);

it.each([
  'evil.example.test',
  'evil.example.test:3000',
  'localhost.evil.example.test',
  '127.0.0.1.evil.example.test',
  '192.0.2.1',
  '127.0.0.1@evil.example.test',
  '[2001:db8::1]',
])('answers nothing but the reason under the name %j there', async (host) => {
  for (const path of ['/healthz', '/', '/api/auth/me']) {
    const { status, body } = await ask({ path, headers: { host } });
    // What is no host name at all is refused as such.
    expect([421, 400]).toContain(status);
    expect(body).toMatch(status === 421 ? /under localhost, 127\.0\.0\.1 and \[::1\] only/ : /^/u);
  }
});

it('answers nginx under every name, which knows the names that are meant', async () => {
  expect((await ask({ headers: { host: 'console.example.test' }, byNginx: true })).status).toBe(200);
});

it('locks out no one who signs in through nginx for what fails on the plain listener, and the other way around', async () => {
  const attempt = async (password: string, byNginx: boolean) => {
    const headers = { host: 'localhost', 'x-real-ip': '127.0.0.1' };
    const body = JSON.stringify({ ...TEST_ADMIN, password });
    return (await ask({ path: '/api/auth/login', method: 'POST', headers, body, byNginx })).status;
  };
  for (let count = 0; count < 5; count += 1) expect(await attempt('wrong', false)).toBe(401);
  expect(await attempt(TEST_ADMIN.password, false)).toBe(429);
  expect(await attempt(TEST_ADMIN.password, true)).toBe(200);
  for (let count = 0; count < 5; count += 1) expect(await attempt('wrong', true)).toBe(401);
  expect(await attempt(TEST_ADMIN.password, true)).toBe(429);
});

it('waits a minute for a request to come whole, on both listeners', () => {
  const servers = listen.mock.contexts as { requestTimeout?: number }[];
  expect(servers.map(({ requestTimeout }) => requestTimeout)).toEqual([60_000, 60_000]);
});

it('tells when an answer has been taken, or is not waited for any more', async () => {
  const taken = vi.fn<(path: string) => void>();
  vi.spyOn(gateway, 'fetch').mockImplementation((asked: Request | string, connection?: object) => {
    const { pathname } = new URL(asked instanceof Request ? asked.url : asked);
    (connection as Connection).whenTaken?.(() => taken(pathname));
    return Promise.resolve(new Response(pathname === '/short' ? 'x' : 'x'.repeat(32_000_000)));
  });
  const unread = request({ host: '127.0.0.1', port: listeners.port, path: '/long' }).on('error', () => undefined);
  const [response] = (await once(unread.end(), 'response')) as [IncomingMessage];
  response.pause();
  await ask({ path: '/short' });
  await vi.waitFor(() => expect(taken.mock.calls).toEqual([['/short']]));
  unread.destroy();
  await vi.waitFor(() => expect(taken.mock.calls).toEqual([['/short'], ['/long']]));
});
