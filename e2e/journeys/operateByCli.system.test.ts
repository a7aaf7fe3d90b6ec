import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInTerminal, startPiped, type Started } from '../../packages/cli/src/testing/process.ts';
import { freeRange } from '../../packages/gateway/src/testing/freePorts.ts';
import { curl } from '../support/visit.ts';
import { startGateway, type GatewayProcess } from '../support/gateway.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

type Json = Record<string, unknown>;

let base: string;
let gateway: GatewayProcess;
let web: WebServer;
let echo: Server;
let fingerprint: string;

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), 'sallyport-operate-'));
  const { from, to } = await freeRange(operators.length);
  gateway = await startGateway({ env: { SALLYPORT_TCP_PORTS: `${from}-${to}` } });
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

/** Somebody who works with the command in one way; what it is called there is nobody else's. */
type Operator = {
  way: string;
  start: (argv: readonly string[], env: Record<string, string>) => Started;
  domain: string;
  web: string;
  echo: string;
  node: string;
};
const operators: Operator[] = [
  { way: 'piped', start: startPiped, domain: 'piped.example.test', web: 'web-1', echo: 'echo-1', node: 'edge-1' },
  {
    way: 'in a terminal',
    start: startInTerminal,
    domain: 'terminal.example.test',
    web: 'web-2',
    echo: 'echo-2',
    node: 'edge-2',
  },
];

const envOf = ({ way }: Operator) => ({
  SALLYPORT_CONFIG_DIR: path.join(base, way),
  SALLYPORT_URL: gateway.consoleUrl,
});

/** The command as an operator runs it. */
function commandOf(operator: Operator) {
  const run = (line: string): Started['ended'] =>
    operator.start([...line.split(' '), '--quiet'], envOf(operator)).ended;
  /** The document of a command that is done. */
  const json = async (line: string): Promise<Json> => {
    const { code, out, err } = await run(`${line} --json`);
    expect({ way: operator.way, line, code, err }).toEqual({ way: operator.way, line, code: 0, err: '' });
    const document = JSON.parse(out) as Json;
    expect(document['version']).toBe(1);
    return document;
  };
  return {
    run,
    json,
    data: async (line: string): Promise<Json> => (await json(line))['data'] as Json,
    /** The exit codes of commands that do not need each other. */
    codesOf: (...lines: string[]) => Promise.all(lines.map(async (line) => (await run(line)).code)),
  };
}

/** Both work at the same time, each with what is its own: as on a gateway of several people. */
const each = (work: (operator: Operator) => Promise<void>) => async () => {
  await Promise.all(operators.map(work));
};

describe('operators with nothing but the command, its JSON and its exit codes, one piped and one in a terminal', () => {
  it(
    'sign in to a gateway whose certificate nobody has signed',
    each(async (operator) => {
      const signedIn = await signIns[operator.way]?.(envOf(operator));
      expect(signedIn).toMatchObject({ code: 0 });
      expect(signedIn?.out).not.toContain(gateway.password);
    }),
  );

  it(
    'serve a web server to the world, change, close, open and delete it',
    each(async (operator) => {
      const { run, json, data, codesOf } = commandOf(operator);
      const { domain, web: name } = operator;
      const visit = (place = '/'): Promise<{ status: number; body: string }> =>
        curl(`https://${domain}:${gateway.ports.https}${place}`);
      expect(await data(`domain create ${domain} --skip-validation`)).toMatchObject({ domain, ssl: 'self-signed' });
      const backend = `--backend-host 127.0.0.1 --backend-port ${web.port}`;
      const made = await data(`service create http ${name} --node Local --domain ${domain} ${backend}`);
      expect(made).toMatchObject({ type: 'http', enabled: true, problem: null, health: 'up' });
      expect(made['publicAccess']).toBe(`https://${domain}:${gateway.ports.https}/`);
      expect(await visit('/seen')).toEqual({ status: 200, body: 'page of /seen' });

      expect((await data(`service edit ${name} --path-location /shop`))['pathLocation']).toBe('/shop');
      expect((await visit('/shop')).status).toBe(200);
      expect((await visit('/seen')).status).toBe(404);
      expect((await data(`service disable ${name}`))['enabled']).toBe(false);
      expect((await visit('/shop')).status).toBe(404);
      expect((await data(`service enable ${name}`))['enabled']).toBe(true);
      expect((await visit('/shop')).status).toBe(200);

      const [listed, logged, opened, codes] = await Promise.all([
        json(`service list --domain ${domain}`),
        run(`logs --service ${name} --json`),
        data(`open ${name} --print`),
        codesOf(
          `domain create ${domain} --skip-validation`,
          'service create http second --node nobody --path-location /x',
          'service create http second --node Local --backend-port many',
        ),
      ]);
      expect(listed).toMatchObject({ total: 1, data: [{ type: 'http', id: made['id'], name }] });
      const lines = logged.out.trim().split(/\r?\n/);
      expect(lines.map((line) => (JSON.parse(line) as { request: { request: string } }).request.request)).toContain(
        'GET /seen HTTP/2.0',
      );
      expect(opened['url']).toBe(`https://${domain}:${gateway.ports.https}/shop`);
      expect(codes).toEqual([2, 5, 2]);

      expect(await json(`service delete ${name} --yes`)).toEqual({
        version: 1,
        deleted: { type: 'http', id: made['id'], name },
      });
      expect((await visit('/shop')).status).toBe(404);
      expect((await json(`domain delete ${domain} --yes`))['deleted']).toMatchObject({ name: domain });
      expect(await codesOf(`service show ${name}`, `domain show ${domain}`)).toEqual([5, 5]);
    }),
    120_000,
  );

  it(
    'open a port, and close it',
    each(async (operator) => {
      const { json, data } = commandOf(operator);
      const made = await data(
        `service create tcp ${operator.echo} --node Local --backend-host 127.0.0.1 --backend-port ${echoPort()}`,
      );
      expect(made).toMatchObject({ type: 'tcp', proto: 'tcp', enabled: true });
      expect(await say(Number(made['port']), 'hello')).toBe('hello');
      expect((await json(`service delete ${operator.echo} --yes`))['deleted']).toEqual({
        type: 'tcp',
        id: made['id'],
        name: operator.echo,
      });
      await expect(say(Number(made['port']), 'hello')).rejects.toThrow(/ECONNREFUSED/);
    }),
    60_000,
  );

  it('cannot open a port where none is left, which is no wrong usage', async () => {
    const open = (operator: Operator, name: string) =>
      commandOf(operator).run(
        `service create tcp ${name} --node Local --backend-host 127.0.0.1 --backend-port ${echoPort()} --json`,
      );
    const made = await Promise.all(operators.map((operator) => open(operator, operator.echo)));
    expect(made.map(({ code }) => code)).toEqual([0, 0]);
    const refused = await Promise.all(operators.map((operator) => open(operator, 'more')));
    for (const { code, out, err } of refused) {
      expect({ code, said: `${out}${err}` }).toEqual({
        code: 1,
        said: expect.stringMatching(
          /^sallyport: No port is free from \d+ to \d+\. Delete a service, or widen [^\n]+\n$/,
        ),
      });
    }
  }, 60_000);

  it(
    'have nodes and their tokens',
    each(async (operator) => {
      const { run, json, data, codesOf } = commandOf(operator);
      const { node } = operator;
      const made = await data(`node create ${node} --dns 198.51.100.53`);
      expect(made['token']).toMatch(/^\S{20,}$/);
      expect((await data(`node edit ${node} --keepalive 25`))['keepalive']).toBe(25);
      expect((await data(`node disable ${node}`))['enabled']).toBe(false);
      expect((await data(`node enable ${node}`))['enabled']).toBe(true);
      const token = await data(`token create ci --node ${node}`);
      expect(token['token']).toMatch(/^\S{20,}$/);
      const named = { id: token['id'], name: 'ci' };
      expect((await json(`token revoke ci --node ${node} --yes`))['revoked']).toEqual(named);
      const { out } = await run(`token list --node ${node} --search ci --json`);
      expect(JSON.parse(out)).toMatchObject({ total: 1, data: [{ name: 'ci', revoked: true }] });
      expect(out).not.toContain(token['token']);
      expect((await json(`token delete ci --node ${node} --yes`))['deleted']).toEqual(named);
      expect(await codesOf(`node delete ${node} --no-input`)).toEqual([2]);
      expect(await codesOf(`node delete ${node} --yes`)).toEqual([0]);
      expect(await codesOf(`node show ${node}`)).toEqual([5]);
    }),
    90_000,
  );

  it(
    'find out how the gateway is, and leave',
    each(async (operator) => {
      const { run, json, codesOf } = commandOf(operator);
      const [{ code, out }, nodes, missing] = await Promise.all([
        run('doctor --json'),
        run('api GET /api/nodes?limit=1'),
        codesOf('api GET /api/nothing'),
      ]);
      const findings = (JSON.parse(out) as { data: { step: string; state: string }[] }).data;
      const failed = findings.filter(({ state }) => state === 'failed');
      expect({ way: operator.way, code, failed }).toEqual({ way: operator.way, code: 0, failed: [] });
      expect(JSON.parse(nodes.out)).toMatchObject({ total: 1 });
      expect(missing).toEqual([5]);
      expect(await json('logout')).toEqual({ version: 1, profile: 'default', url: gateway.consoleUrl });
      expect(await codesOf('node list', 'login --operator --url http://127.0.0.1:1')).toEqual([4, 6]);
      expect((await json('profile list'))['data']).toEqual([]);
    }),
    60_000,
  );
});
