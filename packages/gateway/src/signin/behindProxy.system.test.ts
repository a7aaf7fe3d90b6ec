import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findProgram } from '../machine/runProgram.ts';
import { freePorts } from '../testing/freePorts.ts';
import { certificateFile, PORTS, startBackend } from '../testing/reconcileTrial.ts';
import { createScriptedBrowser, type ScriptedBrowser } from '../testing/scriptedBrowser.ts';
import { openSignInTrial, originOf, type SignInTrial } from '../testing/signInTrial.ts';
import { acceptUpgrade } from '../testing/wire.ts';

// Visitors and an administrator behind the proxies that the guide has examples of, run as they stand there but for names of files,
// ports and addresses. The proxy's connections come from 127.0.0.2, visitors' from 127.0.0.1.

const GUIDE = join(import.meta.dirname, '../../../../docs/guide/behind-a-proxy.md');
const HOST = 'app.example.com';
const CONSOLE = 'console.example.com';
const PROXY = '127.0.0.2';
const VISITOR = '127.0.0.1';
const HAPROXY = findProgram('haproxy', ['/usr/sbin']);
const [plain = 0, https = 0] = await freePorts(2);

let scene: SignInTrial;
let directory: string;
let browser: ScriptedBrowser;

beforeAll(async () => {
  scene = await openSignInTrial([HOST], { trustedProxies: [`${PROXY}/32`], publicHttpsPort: https });
  await scene.provide();
  await scene.addDomain(HOST);
  await scene.expose(HOST, { requireAuth: true });
  const sockets = await startBackend(
    (_request, response) => void response.end(),
    ({ headers }, socket) => {
      // HAProxy looks whether it is the answer to the question.
      acceptUpgrade(socket, `Sec-WebSocket-Accept: ${acceptOf(headers['sec-websocket-key'] ?? '')}\r\n`);
      socket.pipe(socket);
    },
  );
  await scene.expose(HOST, { name: 'Sockets', pathLocation: '/socket', backendPort: sockets.port });
  const { api, store } = scene.trial;
  await api('POST /api/domains', { domain: CONSOLE, skipValidation: true });
  const [console] = await store.httpServices.all({ builtin: true });
  await api(`PATCH /api/services/1/http/${Number(console?.id)}`, { domain: CONSOLE });
  directory = mkdtempSync(join(tmpdir(), 'sallyport-front-'));
}, 60_000);
afterAll(async () => {
  await scene?.close();
  if (directory !== undefined) rmSync(directory, { recursive: true });
});

/** RFC 6455, 4.2.2. */
const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

/** An example of the guide, of the program whose language it is in. */
function example(language: 'nginx' | 'haproxy'): string {
  const [, text] = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(readFileSync(GUIDE, 'utf8')) ?? [];
  if (text === undefined) throw new Error(`the guide has no example for ${language}`);
  const pair = certificateFile(scene.trial, HOST);
  return text
    .replaceAll('192.0.2.20:443', `127.0.0.1:${PORTS.https}`)
    .replaceAll('192.0.2.20:80', `127.0.0.1:${PORTS.http}`)
    .replaceAll(/\/etc\/(?:nginx|haproxy)\/example\.com\.(?:pem|key)/g, pair);
}

type Front = { name: string; start(): ChildProcess };

const nginx: Front = {
  name: 'nginx',
  start() {
    const servers = example('nginx')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${https} ssl;`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${directory}/${kind};`,
    );
    const file = join(directory, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; user root; pid ${directory}/nginx.pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')} proxy_bind ${PROXY};\n${servers}}`,
    );
    return spawn('nginx', ['-e', 'stderr', '-p', directory, '-c', file], { stdio: 'ignore' });
  },
};

const haproxy: Front = {
  name: 'HAProxy',
  start() {
    const text = example('haproxy')
      .replace('bind :80\n', `bind 127.0.0.1:${plain}\n`)
      .replace('bind :443', `bind 127.0.0.1:${https}`)
      .replaceAll(/^( *server .*)$/gm, `$1 source ${PROXY}`);
    const file = join(directory, 'haproxy.cfg');
    writeFileSync(file, text);
    return spawn(HAPROXY ?? '', ['-f', file], { stdio: 'ignore' });
  },
};
const fronts = [nginx, ...(HAPROXY === null ? [] : [haproxy])];

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  return once(socket, 'connect').then(
    () => socket.destroy() !== undefined,
    () => false,
  );
}

describe.each(fronts)('behind $name', ({ start }) => {
  const origin = originOf(HOST, https);
  let front: ChildProcess;

  beforeAll(async () => {
    front = start();
    await vi.waitUntil(() => isListening(https), { timeout: 10_000 });
    browser = createScriptedBrowser();
  });
  afterAll(async () => {
    const ended = once(front, 'exit');
    front.kill('SIGTERM');
    await ended;
  });

  it('a visitor signs in and comes back to the page, and the service knows who and from where', async () => {
    const page = await scene.signInAs(browser, 'ann@example.test', `${origin}/deep?a=1`);
    expect(page.url).toBe(`${origin}/deep?a=1`);
    const { headers } = JSON.parse(page.body) as { headers: Record<string, string> };
    expect(headers).toMatchObject({
      'x-auth-email': 'ann@example.test',
      'x-forwarded-for': VISITOR,
      'x-real-ip': VISITOR,
      'x-forwarded-proto': 'https',
      'x-forwarded-port': String(https),
      host: `${HOST}:${https}`,
    });
    // What a visitor says of its own address is not heard.
    const forged = await browser.ask(`${origin}/x`, { headers: { 'X-Forwarded-For': '203.0.113.9' } });
    expect((JSON.parse(forged.body) as typeof page & { headers: object }).headers).toMatchObject({
      'x-real-ip': VISITOR,
    });
  });

  it('one who comes by plain HTTP goes on to HTTPS at the proxy', async () => {
    const { status, headers } = await browser.ask(`http://${HOST}:${plain}/a?b`);
    expect([status, headers.location]).toEqual([308, `${origin}/a?b`]);
  });

  it('WebSockets pass', async () => {
    const headers = {
      host: `${HOST}:${https}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    };
    const to = { host: '127.0.0.1', port: https, servername: HOST, rejectUnauthorized: false, agent: false } as const;
    const sent = request({ ...to, path: '/socket', headers }).end();
    const [response, socket] = (await once(sent, 'upgrade')) as [{ statusCode: number }, { destroy(): void }];
    expect(response.statusCode).toBe(101);
    socket.destroy();
  });

  it('the console is at its own origin: signing in works there, and from no other page', async () => {
    const at = originOf(CONSOLE, https);
    const login = (from: string, password: string) =>
      browser.ask(`${at}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: from },
        body: JSON.stringify({ username: 'admin', password }),
      });
    expect((await login(origin, 'correct horse battery')).status).toBe(400);
    const { status, headers } = await login(at, 'correct horse battery');
    expect(status).toBe(200);
    expect(headers['set-cookie']?.[0]).toMatch(/; Secure/);
    const { body } = await scene.trial.api('GET /api/config', undefined);
    expect(JSON.stringify(body)).toContain(at);
    const sessions = await scene.trial.store.sessions.living();
    expect(sessions.at(-1)?.address).toBe(VISITOR);
  });
});
