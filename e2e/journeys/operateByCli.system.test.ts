import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startPiped } from '../../packages/cli/src/testing/process.ts';
import { curl } from '../support/visit.ts';
import { startGateway, type GatewayProcess } from '../support/gateway.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

type Json = Record<string, unknown>;

const DOMAIN = 'app.example.test';
/** A dozen commands fit into it, each of them a process that starts, also on a busy machine. */
const COMMANDS_MS = 300_000;
let folder: string;
let gateway: GatewayProcess;
let web: WebServer;
let echo: Server;
let echoBackend: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sallyport-operate-'));
  gateway = await startGateway({ tcpPorts: 1 });
  web = await startWebServer((request, response) => response.end(`page of ${request.url}`));
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  await once(echo.listen(0, '127.0.0.1'), 'listening');
  echoBackend = `--backend-host 127.0.0.1 --backend-port ${(echo.address() as AddressInfo).port}`;
});
afterAll(async () => {
  echo?.close();
  await web?.close();
  await gateway?.close();
  rmSync(folder, { recursive: true });
});

/** What comes back from a public port for a word. */
async function say(port: number, word: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const answer = once(socket, 'data', { signal: AbortSignal.timeout(20_000) });
  socket.write(word);
  const text = String((await answer)[0]);
  socket.destroy();
  return text;
}

const start = (argv: readonly string[]) =>
  startPiped(argv, { SALLYPORT_CONFIG_DIR: folder, SALLYPORT_URL: gateway.consoleUrl });
const run = (line: string) => start([...line.split(' '), '--quiet']).ended;
/** The document of a command that is done. */
async function json(line: string): Promise<Json> {
  const { code, out, err } = await run(`${line} --json`);
  expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
  const document = JSON.parse(out) as Json;
  expect(document['version']).toBe(1);
  return document;
}
const data = async (line: string): Promise<Json> => (await json(line))['data'] as Json;
/** The exit codes of commands that do not need each other. */
const codesOf = (...lines: string[]) => Promise.all(lines.map(async (line) => (await run(line)).code));

describe('an operator with nothing but the command, its JSON and its exit codes', () => {
  it('signs in to a gateway whose certificate no one has signed', async () => {
    // What an administrator sees where the gateway was started; it is printed when all serves.
    const fingerprint = await vi.waitFor(() => {
      const found = /SHA-256 ([0-9A-F:]{95})/.exec(gateway.output())?.[1];
      if (found === undefined) throw new Error('The gateway shows no fingerprint.');
      return found;
    });
    const who = ['--pin', fingerprint, '--username', gateway.username, '--password-stdin', '--json'];
    const login = start(['login', '--operator', ...who]);
    login.child.stdin.end(`${gateway.password}\n`);
    const { code, out } = await login.ended;
    expect(code).toBe(0);
    expect(out).not.toContain(gateway.password);
  });

  it(
    'serves a web server to the world, changes, closes, opens and deletes it',
    async () => {
      const visit = (place = '/') => curl(`https://${DOMAIN}:${gateway.ports.https}${place}`);
      expect(await data(`domain create ${DOMAIN} --skip-validation`)).toMatchObject({ ssl: 'self-signed' });
      const backend = `--backend-host 127.0.0.1 --backend-port ${web.port}`;
      const made = await data(`service create http web --node Local --domain ${DOMAIN} ${backend}`);
      expect(made).toMatchObject({ type: 'http', enabled: true, problem: null });
      // Its answer waits a moment for the backend's, and no longer.
      await expect.poll(async () => (await data('service show web'))['health']).toBe('up');
      expect(made['publicAccess']).toBe(`https://${DOMAIN}:${gateway.ports.https}/`);
      expect(await visit('/seen')).toEqual({ status: 200, body: 'page of /seen' });

      expect((await data('service edit web --path-location /shop'))['pathLocation']).toBe('/shop');
      expect((await visit('/shop')).status).toBe(200);
      expect((await visit('/seen')).status).toBe(404);
      expect((await data('service disable web'))['enabled']).toBe(false);
      expect((await visit('/shop')).status).toBe(404);
      expect((await data('service enable web'))['enabled']).toBe(true);
      expect((await visit('/shop')).status).toBe(200);

      expect(await json(`service list --domain ${DOMAIN}`)).toMatchObject({
        total: 1,
        data: [{ type: 'http', id: made['id'], name: 'web' }],
      });
      const requests = async () => {
        const lines = (await run('logs --service web --json')).out.trim().split(/\r?\n/);
        return lines.map((line) => (JSON.parse(line) as { request: { request: string } }).request.request);
      };
      await expect.poll(requests).toContain('GET /seen HTTP/2.0');
      expect((await data('open web --print'))['url']).toBe(`https://${DOMAIN}:${gateway.ports.https}/shop`);
      const refused = await codesOf(
        `domain create ${DOMAIN} --skip-validation`,
        'service create http second --node nobody --path-location /x',
        'service create http second --node Local --backend-port many',
      );
      expect(refused).toEqual([2, 5, 2]);

      const deleted = { type: 'http', id: made['id'], name: 'web' };
      expect(await json('service delete web --yes')).toEqual({ version: 1, deleted });
      expect((await visit('/shop')).status).toBe(404);
      expect((await json(`domain delete ${DOMAIN} --yes`))['deleted']).toMatchObject({ name: DOMAIN });
      expect(await codesOf('service show web', `domain show ${DOMAIN}`)).toEqual([5, 5]);
    },
    COMMANDS_MS,
  );

  it(
    'opens a port, is told when none is left, and closes it',
    async () => {
      const made = await data(`service create tcp echo --node Local ${echoBackend}`);
      expect(made).toMatchObject({ type: 'tcp', proto: 'tcp', enabled: true });
      expect(await say(Number(made['port']), 'hello')).toBe('hello');
      // Which is no wrong usage.
      const { code, out, err } = await run(`service create tcp more --node Local ${echoBackend} --json`);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^sallyport: No port is free from \d+ to \d+\. Delete a service, or widen [^\n]+\n$/);
      const deleted = { type: 'tcp', id: made['id'], name: 'echo' };
      expect((await json('service delete echo --yes'))['deleted']).toEqual(deleted);
      await expect(say(Number(made['port']), 'hello')).rejects.toThrow(/ECONNREFUSED/);
    },
    COMMANDS_MS,
  );

  it(
    'has nodes and their tokens',
    async () => {
      const made = await data('node create edge --dns 198.51.100.53');
      expect(made['token']).toMatch(/^\S{20,}$/);
      expect((await data('node edit edge --keepalive 25'))['keepalive']).toBe(25);
      expect((await data('node disable edge'))['enabled']).toBe(false);
      expect((await data('node enable edge'))['enabled']).toBe(true);
      const token = await data('token create ci --node edge');
      expect(token['token']).toMatch(/^\S{20,}$/);
      const named = { id: token['id'], name: 'ci' };
      expect((await json('token revoke ci --node edge --yes'))['revoked']).toEqual(named);
      const { out } = await run('token list --node edge --search ci --json');
      expect(JSON.parse(out)).toMatchObject({ total: 1, data: [{ name: 'ci', revoked: true }] });
      expect(out).not.toContain(token['token']);
      expect((await json('token delete ci --node edge --yes'))['deleted']).toEqual(named);
      expect(await codesOf('node delete edge --no-input')).toEqual([2]);
      expect(await codesOf('node delete edge --yes')).toEqual([0]);
      expect(await codesOf('node show edge')).toEqual([5]);
    },
    COMMANDS_MS,
  );

  it(
    'finds out how the gateway is, and leaves',
    async () => {
      const findings = (await data('doctor')) as unknown as { state: string }[];
      expect(findings.filter(({ state }) => state === 'failed')).toEqual([]);
      expect(JSON.parse((await run('api GET /api/nodes?limit=1')).out)).toMatchObject({ total: 1 });
      expect(await codesOf('api GET /api/nothing')).toEqual([5]);
      expect(await json('logout')).toEqual({ version: 1, profile: 'default', url: gateway.consoleUrl });
      expect(await codesOf('node list', 'login --operator --url http://127.0.0.1:1')).toEqual([4, 6]);
      expect((await json('profile list'))['data']).toEqual([]);
    },
    COMMANDS_MS,
  );
});
