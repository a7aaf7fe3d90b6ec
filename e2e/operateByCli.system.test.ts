import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInTerminal, startPiped, type Started } from '../packages/cli/src/testing/process.ts';
import { freePorts } from '../packages/gateway/src/testing/freePorts.ts';
import { curl } from './support/curl.ts';
import { startGateway, type GatewayProcess } from './support/gatewayProcess.ts';
import { startWebServer, type WebServer } from './support/webServer.ts';

type Json = Record<string, unknown>;

let base: string;
let gateway: GatewayProcess;
let web: WebServer;
let echo: Server;
let fingerprint: string;

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), 'sallyport-operate-'));
  const [tcp = 0] = await freePorts(1);
  gateway = await startGateway({ env: { SALLYPORT_TCP_PORTS: `${tcp}-${tcp}` } });
  // What an administrator sees where the gateway was started; it is printed when all serves.
  fingerprint = await vi.waitFor(() => {
    const found = /SHA-256 ([0-9A-F:]{95})/.exec(gateway.output())?.[1];
    if (found === undefined) throw new Error('The gateway shows no fingerprint.');
    return found;
  }, 10_000);
  web = await startWebServer((request, response) => response.end(`page of ${request.url}`));
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  await once(echo.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  echo?.close();
  await web?.close();
  await gateway?.close();
  rmSync(base, { recursive: true });
});

const echoPort = () => {
  const address = echo.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
};

/** What comes back from a public port for a word. */
async function say(port: number, word: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const answer = once(socket, 'data', { signal: AbortSignal.timeout(10_000) });
  socket.write(word);
  const text = String((await answer)[0]);
  socket.destroy();
  return text;
}

/** Signs an operator in as one does there. */
const signIns: Record<string, (env: Record<string, string>) => Promise<{ code: number | null; out: string }>> = {
  async piped(env) {
    const argv = ['login', '--operator', '--pin', fingerprint, '--username', gateway.username, '--password-stdin'];
    const login = startPiped([...argv, '--json'], env);
    login.child.stdin.end(`${gateway.password}\n`);
    return login.ended;
  },
  async 'in a terminal'(env) {
    const login = startInTerminal(['login', '--operator'], env);
    for (const [question, typed] of [
      [/Trust this certificate from now on\? \[y\/N\]: /, 'y'],
      [/User name: /, gateway.username],
      [/Password: /, gateway.password],
    ] as const) {
      await login.until(question);
      login.child.stdin.write(`${typed}\r`);
    }
    expect(login.out()).toContain(fingerprint);
    return login.ended;
  },
};

describe.each([
  ['piped', startPiped],
  ['in a terminal', startInTerminal],
] as const)('an operator with nothing but the command, its JSON and its exit codes, %s', (way, start) => {
  let env: Record<string, string>;
  const domain = `${way.replaceAll(' ', '-')}.example.test`;
  const run = (line: string): Started['ended'] => start([...line.split(' '), '--quiet'], env).ended;
  /** The document of a command that is done. */
  const json = async (line: string): Promise<Json> => {
    const { code, out, err } = await run(`${line} --json`);
    expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
    const document = JSON.parse(out) as Json;
    expect(document['version']).toBe(1);
    return document;
  };
  const data = async (line: string): Promise<Json> => (await json(line))['data'] as Json;
  const codeOf = async (line: string): Promise<number | null> => (await run(line)).code;
  const visit = (place = '/'): Promise<{ status: number; body: string }> =>
    curl(`https://${domain}:${gateway.ports.https}${place}`);

  beforeAll(() => {
    env = { SALLYPORT_CONFIG_DIR: path.join(base, way), SALLYPORT_URL: gateway.consoleUrl };
  });

  it('signs in to a gateway whose certificate nobody has signed', async () => {
    const signedIn = await signIns[way]?.(env);
    expect(signedIn).toMatchObject({ code: 0 });
    expect(signedIn?.out).not.toContain(gateway.password);
  });

  it('serves a web server to the world, changes, closes, opens and deletes it', async () => {
    expect(await data(`domain create ${domain} --skip-validation`)).toMatchObject({ domain, ssl: 'self-signed' });
    const backend = `--backend-host 127.0.0.1 --backend-port ${web.port}`;
    const made = await data(`service create http web --node Local --domain ${domain} ${backend}`);
    expect(made).toMatchObject({ type: 'http', enabled: true, problem: null, health: 'up' });
    expect(made['publicAccess']).toBe(`https://${domain}:${gateway.ports.https}/`);
    expect(await visit('/seen')).toEqual({ status: 200, body: 'page of /seen' });

    expect((await data('service edit web --path-location /shop'))['pathLocation']).toBe('/shop');
    expect((await visit('/shop')).status).toBe(200);
    expect((await visit('/seen')).status).toBe(404);
    expect((await data('service disable web'))['enabled']).toBe(false);
    expect((await visit('/shop')).status).toBe(404);
    expect((await data('service enable web'))['enabled']).toBe(true);
    expect((await visit('/shop')).status).toBe(200);

    const listed = await json(`service list --domain ${domain}`);
    expect(listed).toMatchObject({ total: 1, data: [{ type: 'http', id: made['id'], name: 'web' }] });
    const lines = (await run('logs --service web --json')).out.trim().split(/\r?\n/);
    expect(lines.map((line) => (JSON.parse(line) as { request: { request: string } }).request.request)).toContain(
      'GET /seen HTTP/2.0',
    );
    expect((await data('open web --print'))['url']).toBe(`https://${domain}:${gateway.ports.https}/shop`);

    expect(await codeOf(`domain create ${domain} --skip-validation`)).not.toBe(0);
    expect(await codeOf('service create http second --node nobody --path-location /x')).toBe(5);
    expect(await codeOf('service create http second --node Local --backend-port many')).toBe(2);
    expect(await json('service delete web --yes')).toEqual({
      version: 1,
      deleted: { type: 'http', id: made['id'], name: 'web' },
    });
    expect(await codeOf('service show web')).toBe(5);
    expect((await visit('/shop')).status).toBe(404);
    expect((await json(`domain delete ${domain} --yes`))['deleted']).toMatchObject({ name: domain });
    expect((await json('domain list'))['total']).toBe(0);
  }, 120_000);

  it('opens a port, and closes it', async () => {
    const made = await data(
      `service create tcp echo --node Local --backend-host 127.0.0.1 --backend-port ${echoPort()}`,
    );
    expect(made).toMatchObject({ type: 'tcp', proto: 'tcp', enabled: true });
    expect(await say(Number(made['port']), 'hello')).toBe('hello');
    // The gateway has one port to give.
    expect(await codeOf(`service create tcp more --node Local --backend-port ${echoPort()}`)).toBe(2);
    expect((await json('service delete echo --yes'))['deleted']).toEqual({
      type: 'tcp',
      id: made['id'],
      name: 'echo',
    });
    await expect(say(Number(made['port']), 'hello')).rejects.toThrow(/ECONNREFUSED/);
  }, 60_000);

  it('has nodes and their tokens', async () => {
    const made = await data('node create edge --dns 198.51.100.53');
    expect(made['token']).toMatch(/^\S{20,}$/);
    expect((await data('node edit edge --keepalive 25'))['keepalive']).toBe(25);
    expect((await data('node disable edge'))['enabled']).toBe(false);
    expect((await data('node enable edge'))['enabled']).toBe(true);
    const token = await data('token create ci --node edge');
    expect(token['token']).toMatch(/^\S{20,}$/);
    expect((await json('token revoke ci --node edge --yes'))['revoked']).toEqual({ id: token['id'], name: 'ci' });
    const { out } = await run('token list --node edge --search ci --json');
    expect(JSON.parse(out)).toMatchObject({ total: 1, data: [{ name: 'ci', revoked: true }] });
    expect(out).not.toContain(token['token']);
    expect((await json('token delete ci --node edge --yes'))['deleted']).toEqual({ id: token['id'], name: 'ci' });
    expect(await codeOf('node delete edge --no-input')).toBe(2);
    expect(await codeOf('node delete edge --yes')).toBe(0);
    expect(await codeOf('node show edge')).toBe(5);
  }, 90_000);

  it('finds out how the gateway is, and leaves', async () => {
    const { code, out } = await run('doctor --json');
    const findings = (JSON.parse(out) as { data: { step: string; state: string }[] }).data;
    expect({ code, failed: findings.filter(({ state }) => state === 'failed') }).toEqual({ code: 0, failed: [] });
    expect(JSON.parse((await run('api GET /api/nodes?limit=1')).out)).toMatchObject({ total: 1 });
    expect(await codeOf('api GET /api/nothing')).toBe(5);
    expect(await json('logout')).toEqual({ version: 1, profile: 'default', url: gateway.consoleUrl });
    expect(await codeOf('node list')).toBe(4);
    expect((await json('profile list'))['data']).toEqual([]);
    expect(await codeOf('login --operator --url http://127.0.0.1:1')).toBe(6);
  }, 60_000);
});
