import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePorts } from '../testing/freePorts.ts';

// From a save to the finding that the API tells: the program itself, a real nginx, and backends on loopback.

/** Well below the interval at which a backend that nobody changed is looked at. */
const SOON = { interval: 50 };
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const PASSWORD = 'correct horse battery';

let directory: string;
let gateway: ChildProcess;
let address: string;
let token: string;
let backend: Server;
let listening: number;
let deserted: number;
let servicePort: number;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-health-'));
  chmodSync(directory, 0o711);
  const [listen = 0, console = 0, http = 0, https = 0, free = 0, nobody = 0] = await freePorts(6);
  [address, servicePort, deserted] = [`127.0.0.1:${listen}`, free, nobody];
  backend = createServer((socket) => void socket.on('error', () => undefined).end()).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  listening = (backend.address() as AddressInfo).port;
  gateway = spawn(process.execPath, ['--conditions=source', MAIN], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      SALLYPORT_DATA: join(directory, 'data'),
      SALLYPORT_LISTEN: address,
      SALLYPORT_CONSOLE_PORT: String(console),
      SALLYPORT_HTTP_PORT: String(http),
      SALLYPORT_HTTPS_PORT: String(https),
      SALLYPORT_VPN_HOST: 'gw.example.test',
      SALLYPORT_ACME_URL: 'https://127.0.0.1:1/directory',
      SALLYPORT_TUNNEL: 'off',
      SALLYPORT_TCP_PORTS: `${servicePort}-${servicePort}`,
      SALLYPORT_ADMIN_PASSWORD: PASSWORD,
    },
    stdio: 'ignore',
  });
  await vi.waitFor(() => api('GET', '/healthz'), 40_000);
  token = String((await api('POST', '/api/auth/login', { username: 'admin', password: PASSWORD }))['token']);
});
afterAll(async () => {
  if (gateway.exitCode === null && gateway.signalCode === null) {
    gateway.kill('SIGINT');
    await once(gateway, 'exit');
  }
  backend.close();
  rmSync(directory, { recursive: true, force: true });
});

async function api(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`http://${address}${path}`, {
    method,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), connection: 'close' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  expect({ status: response.status, answer }).toMatchObject({ status: 200 });
  return answer;
}

it.each([
  ['an HTTP service', 'http', () => ({ domain: 'app.example.test' })],
  ['a TCP service', 'tcp', () => ({ port: servicePort })],
])('the backend of %s is found up, down and up again as soon as it is changed', async (_, type, rest) => {
  const created = await api('POST', `/api/services/1/${type}`, {
    name: 'watched',
    backendHost: '127.0.0.1',
    backendPort: listening,
    ...rest(),
  });
  const path = `/api/services/1/${type}/${String(created['id'])}`;
  const isFound = (finding: object) =>
    vi.waitFor(async () => expect(await api('GET', path)).toMatchObject(finding), SOON);
  const up = { health: 'up', healthReason: null };

  await isFound(up);
  await api('PATCH', path, { backendPort: deserted });
  await isFound({
    health: 'down',
    healthReason: `Nothing listens on 127.0.0.1:${deserted}. Start the service, or correct the port.`,
  });
  // The list is what the console shows.
  const list = (await api('GET', `/api/services/${type}`)) as unknown as object[];
  expect(list).toContainEqual(expect.objectContaining({ id: created['id'], health: 'down' }));
  await api('PATCH', path, { backendPort: listening });
  await isFound(up);
});
