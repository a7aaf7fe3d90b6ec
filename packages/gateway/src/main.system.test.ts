import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { freePorts } from './testing/freePorts.ts';

// The program itself, on a real nginx and a real file, as an administrator starts and ends it.

const START_LIMIT_MS = 60_000;
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

let directory: string;
let data: string;
let ports: { listen: number; console: number; http: number; https: number };
let backend: Server;
let started: ChildProcess[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-main-'));
  chmodSync(directory, 0o711);
  data = join(directory, 'data');
  const [listen = 0, console = 0, http = 0, https = 0] = await freePorts(4);
  ports = { listen, console, http, https };
  started = [];
  backend = createServer((incoming, response) => response.end(`backend ${incoming.url}`)).listen(0, '127.0.0.1');
  await once(backend, 'listening');
});

afterEach(async () => {
  for (const gateway of started) {
    if (gateway.exitCode === null && gateway.signalCode === null) {
      gateway.kill('SIGINT');
      await once(gateway, 'exit');
    }
  }
  // What a killed gateway left serving is ours to end.
  const pidFile = join(data, 'ingress', 'run', 'nginx.pid');
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
  // A configuration that was only tried leaves an empty file, and 0 would be ourselves.
  if (pid > 1) process.kill(pid, 'SIGTERM');
  backend.close();
  rmSync(directory, { recursive: true, force: true });
});

/**
 * Starts the program; `ready` is fulfilled with what it says once it serves, or ends.
 * @param within a command that starts another one, with its arguments
 * @param given arguments of the program itself
 */
function start(env: NodeJS.ProcessEnv = {}, within: readonly string[] = [], given: readonly string[] = []) {
  const [program, ...words] = [...within, process.execPath, '--conditions=source', MAIN];
  const gateway = spawn(program, [...words, ...given], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      SALLYPORT_DATA: data,
      SALLYPORT_LISTEN: `127.0.0.1:${ports.listen}`,
      SALLYPORT_CONSOLE_PORT: String(ports.console),
      SALLYPORT_HTTP_PORT: String(ports.http),
      SALLYPORT_HTTPS_PORT: String(ports.https),
      SALLYPORT_VPN_HOST: 'gw.example.test',
      SALLYPORT_ACME_URL: 'https://127.0.0.1:1/directory',
      SALLYPORT_TUNNEL: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(gateway);
  const said = { out: '', err: '' };
  const { promise: ready, resolve } = Promise.withResolvers<typeof said>();
  gateway.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
    if (said.out.includes('Sallyport is running') && said.out.endsWith('\n\n')) resolve(said);
  });
  gateway.stderr.setEncoding('utf8').on('data', (text: string) => void (said.err += text));
  const ended = once(gateway, 'close').then(([code]) => {
    resolve(said);
    return code as number | null;
  });
  return { gateway, said, ready, ended };
}

async function api(token: string | null, method: string, path: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${ports.listen}${path}`, {
    method,
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), connection: 'close' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const signIn = async (password: string): Promise<string> =>
  String((await api(null, 'POST', '/api/auth/login', { username: 'admin', password })).body['token']);

const expose = (token: string, domain: string) =>
  api(token, 'POST', '/api/services/1/http', {
    name: domain,
    domain,
    backendHost: '127.0.0.1',
    backendPort: (backend.address() as { port: number }).port,
  });

/** What a visitor gets; the error's code when there is no answer. */
function visit(host: string, path = '/'): Promise<string> {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port: ports.https,
      servername: host,
      path,
      headers: { host },
      rejectUnauthorized: false,
      agent: false,
    };
    request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => void (text += part));
      response.on('end', () => resolve(text));
    })
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
      .end();
  });
}

it.each(['run', 'run/gateway.sock'])('serves the console again after ingress/%s was deleted', async (deleted) => {
  const { ready, said } = start({ SALLYPORT_ADMIN_PASSWORD: 'correct horse battery' });
  await ready;
  const console = (): Promise<string> =>
    new Promise((resolve) => {
      const to = { host: '127.0.0.1', port: ports.console, path: '/healthz', rejectUnauthorized: false, agent: false };
      request(to, (response) => response.resume().on('end', () => resolve(String(response.statusCode))))
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
        .end();
    });
  expect(await console()).toBe('200');
  rmSync(join(data, 'ingress', deleted), { recursive: true });
  const socket = join(data, 'ingress', 'run', 'gateway.sock');
  await vi.waitFor(() => expect(existsSync(socket)).toBe(true));
  // At the same time, and so over new connections: each worker of nginx keeps those that it had.
  const answers = () => Promise.all(Array.from({ length: 8 }, console));
  await vi.waitFor(async () => expect(new Set(await answers())).toEqual(new Set(['200'])));
  expect(said.err).not.toContain('could not be made again');
});

it('starts nothing for anyone who asks for something else', async () => {
  const { said, ended } = start({}, [], ['--version']);
  expect(await ended).toBe(2);
  expect(said).toEqual({ out: '', err: expect.stringContaining('takes no arguments, and was given "--version"') });
  expect(existsSync(data)).toBe(false);
});

it('tells the first password once, in a file of its own, and forgets it at the first sign-in', async () => {
  const { ready, said } = start();
  await ready;
  const file = join(data, 'initial-password');
  const password = readFileSync(file, 'utf8').trim();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(said.out).toContain(file);
  expect(said.out + said.err).not.toContain(password);
  expect(said.out).toContain(`https://gw.example.test:${ports.console}/`);
  expect(said.out).toMatch(/SHA-256 (?:[0-9A-F]{2}:){31}[0-9A-F]{2}/);
  expect((await api(null, 'POST', '/api/auth/login', { username: 'admin', password: 'wrong' })).status).toBe(401);
  expect(existsSync(file)).toBe(true);
  expect(await signIn(password)).toMatch(/^sps_/);
  expect(existsSync(file)).toBe(false);
});

it('loses nothing that it answered when it is killed, and visitors notice nothing', async () => {
  const first = start({ SALLYPORT_ADMIN_PASSWORD: 'correct horse' });
  await first.ready;
  const token = await signIn('correct horse');
  await expose(token, 'one.example.test');
  const { status } = await expose(token, 'two.example.test');
  first.gateway.kill('SIGKILL');
  expect(status).toBe(200);
  await first.ended;
  expect(await visit('one.example.test', '/a')).toBe('backend /a');
  expect(await visit('two.example.test', '/b')).toBe('backend /b');

  const second = start({ SALLYPORT_ADMIN_PASSWORD: 'correct horse' });
  let served = 0;
  let done = false;
  const visitor = (async () => {
    while (!done) {
      expect(await visit('two.example.test', '/c')).toBe('backend /c');
      served += 1;
    }
  })();
  await second.ready;
  // The session lives on as well: the password is still the same.
  const list = await api(token, 'GET', '/api/services/http?search=example.test');
  done = true;
  await visitor;
  expect(list.body).toHaveLength(2);
  expect(served).toBeGreaterThan(0);
});

/** Which processors each worker of nginx may use, as Linux writes it. */
function processorsOfWorkers(): string[] {
  const master = readFileSync(join(data, 'ingress', 'run', 'nginx.pid'), 'utf8').trim();
  const workers = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ');
  return workers.map(processorsOf).toSorted();
}

const processorsOf = (pid: string | number): string =>
  /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

it('serves with a worker on each processor, and where it may use only one with one worker there', async () => {
  const allowed = processorsOf(process.pid);
  const there = cpus().map((_, index) => String(index));
  const usable = availableParallelism();
  // Where these tests may not use all of them, no worker keeps to one.
  const expected = usable === there.length ? there.toSorted() : Array.from({ length: usable }, () => allowed);
  // Workers of the configuration before may just be ending.
  const settled = (processors: string[]) => vi.waitFor(() => expect(processorsOfWorkers()).toEqual(processors));
  const all = start();
  await all.ready;
  await settled(expected);
  all.gateway.kill('SIGINT');
  await all.ended;

  const last = /\d+$/.exec(allowed)?.[0] ?? '';
  await start({}, ['taskset', '--cpu-list', last]).ready;
  await settled([last]);
});

it('leaves services open at SIGTERM, and closes everything at SIGINT', async () => {
  const env = { SALLYPORT_ADMIN_PASSWORD: 'correct horse' };
  const first = start(env);
  await first.ready;
  await expose(await signIn('correct horse'), 'app.example.test');
  first.gateway.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  expect(await visit('app.example.test')).toBe('backend /');

  const second = start(env);
  await second.ready;
  second.gateway.kill('SIGINT');
  expect(await second.ended).toBe(0);
  expect(await visit('app.example.test')).toBe('ECONNREFUSED');
});

it('closes everything at a Ctrl+C that arrives twice', async () => {
  const { gateway, ready, ended } = start({ SALLYPORT_ADMIN_PASSWORD: 'correct horse' });
  await ready;
  gateway.kill('SIGINT');
  gateway.kill('SIGINT');
  // Signals of one kind that come together are one, so this is the second.
  gateway.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(await visit('gw.example.test')).toBe('ECONNREFUSED');
});

it('leaves no nginx behind that a start which failed has started', async () => {
  const env = { SALLYPORT_ADMIN_PASSWORD: 'correct horse' };
  const first = start(env);
  await first.ready;
  first.gateway.kill('SIGINT');
  await first.ended;
  mkdirSync(join(data, 'initial-password'));
  expect(await start(env).ended).toBe(1);
  expect(await visit('gw.example.test')).toBe('ECONNREFUSED');
});

it('starts and goes on when nobody reads what it says', async () => {
  const { gateway, ended } = start({ SALLYPORT_ADMIN_PASSWORD: 'correct horse' });
  gateway.stdout.destroy();
  gateway.stderr.destroy();
  await vi.waitFor(async () => expect((await api(null, 'GET', '/healthz')).status).toBe(200), START_LIMIT_MS);
  expect(await signIn('wrong')).toBe('undefined');
  expect(await signIn('correct horse')).toMatch(/^sps_/);
  gateway.kill('SIGINT');
  expect(await ended).toBe(0);
});

it('takes a new password from the environment, which signs everybody out', async () => {
  const first = start({ SALLYPORT_ADMIN_PASSWORD: 'correct horse' });
  await first.ready;
  const token = await signIn('correct horse');
  first.gateway.kill('SIGTERM');
  await first.ended;
  const second = start({ SALLYPORT_ADMIN_PASSWORD: 'battery staple' });
  await second.ready;
  expect((await api(token, 'GET', '/api/auth/me')).status).toBe(401);
  expect(await signIn('battery staple')).toMatch(/^sps_/);
  expect(second.said.out + second.said.err).not.toContain('staple');
});

it('closes what a time to live has ended while nothing ran', async () => {
  const env = { SALLYPORT_ADMIN_PASSWORD: 'correct horse' };
  const first = start(env);
  await first.ready;
  const token = await signIn('correct horse');
  const { body } = await expose(token, 'app.example.test');
  const { body: limited } = await api(token, 'PATCH', `/api/services/1/http/${String(body['id'])}`, { ttl: '1s' });
  first.gateway.kill('SIGKILL');
  await first.ended;
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(String(limited['expiresAt']))));
  await start(env).ready;
  const { body: after } = await api(token, 'GET', `/api/services/1/http/${String(body['id'])}`);
  expect(after).toMatchObject({ enabled: false, expiresAt: null });
  expect(await visit('app.example.test')).not.toBe('backend /');
});

it.each([
  [
    'a second gateway in the same directory',
    /^Another gateway \(process \d+\) is using /,
    async () => void (await start().ready),
  ],
  [
    'an occupied address',
    /^The gateway cannot listen on 127\.0\.0\.1:\d+: another program uses it\. .*SALLYPORT_LISTEN\.$/,
    async () => void (ports.listen = (backend.address() as { port: number }).port),
  ],
  [
    'an occupied port for visitors',
    /SALLYPORT_HTTPS_PORT\.$/,
    async () => void (ports.https = (backend.address() as { port: number }).port),
  ],
  [
    'a damaged database',
    /^The database .* is damaged\. It was left as it is/,
    async () => {
      const { gateway, ready, ended } = start();
      await ready;
      gateway.kill('SIGINT');
      await ended;
      const file = join(data, 'sallyport.db');
      writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, 5000), Buffer.alloc(50_000, 7)]));
    },
  ],
  [
    'a newer database',
    /^The database .* was written by a newer version of Sallyport/,
    async () => {
      const { gateway, ready, ended } = start();
      await ready;
      gateway.kill('SIGINT');
      await ended;
      const database = new Sqlite(join(data, 'sallyport.db'));
      database.pragma('user_version = 99');
      database.close();
    },
  ],
  [
    'a data directory that is a file',
    /is not a directory\. Choose another one with SALLYPORT_DATA\.$/,
    async () => {
      writeFileSync(join(directory, 'file'), '');
      data = join(directory, 'file');
    },
  ],
])('ends with one sentence and exit code 1 for %s', async (_, sentence, prepare) => {
  await prepare();
  const database = join(data, 'sallyport.db');
  const before = existsSync(database) ? readFileSync(database) : null;
  const { ended, said } = start();
  expect(await ended).toBe(1);
  const words = said.err.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  expect(words).toEqual([expect.stringMatching(sentence)]);
  expect(said.out).toBe('');
  const untouched = before === null || readFileSync(database).equals(before);
  expect(untouched).toBe(true);
});
