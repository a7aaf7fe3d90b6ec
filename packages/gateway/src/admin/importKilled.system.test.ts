import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeNpmDatabase } from '../testing/npmDatabase.ts';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';
import { makeWiredoorDirectory } from '../testing/wiredoorDirectory.ts';

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 300_000 };
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
/** A network that no machine reaches. */
const SUBNET = '198.18.201.0/24';
const WIREDOOR = {
  SALLYPORT_VPN_SUBNET: SUBNET,
  SALLYPORT_TUNNEL: 'on',
  SALLYPORT_HTTPS_PORT: '443',
  SALLYPORT_WIREDOOR_CLIENTS: 'on',
};
let base: string;
let trial: ProgramTrial;
let backend: Server;
let port: number;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-killed-'));
  backend = createServer((_, response) => response.end('backend')).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  port = (backend.address() as AddressInfo).port;
  trial = await openProgramTrial();
});
afterEach(async () => {
  await trial.close();
  backend.close();
  rmSync(base, { recursive: true });
});

/** An import as its own process, which is killed at its moment. */
async function kill(args: string[], env: NodeJS.ProcessEnv, armed: (child: ChildProcess) => () => void): Promise<void> {
  const child = spawn(process.execPath, ['--conditions=source', MAIN, 'import', ...args, '--apply'], {
    env: { ...process.env, SALLYPORT_DATA: trial.data, SALLYPORT_VPN_HOST: 'gw.example.test', ...env },
    stdio: 'ignore',
  });
  const disarm = armed(child);
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  disarm();
}

/** Stands between an import and the gateway, and kills the import when it sends what `isMoment` knows, which gets no further. */
async function between(child: () => ChildProcess | null, isMoment: (call: string) => boolean): Promise<Server> {
  const server = createServer((asked, answer) => {
    if (isMoment(`${asked.method} ${asked.url}`)) {
      child()?.kill('SIGKILL');
      return;
    }
    const { url, method, headers } = asked;
    const onward = request({ host: '127.0.0.1', port: trial.ports.listen, path: url, method, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(answer);
    });
    asked.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const SOURCES = {
  'nginx-proxy-manager': () =>
    makeNpmDatabase(join(base, 'database.sqlite'), {
      proxy_host: ['open', 'guarded', 'last'].map((name) => ({
        domain_names: [`${name}.example.test`],
        forward_host: '127.0.0.1',
        forward_port: port,
        advanced_config: name === 'guarded' ? 'auth_request /login;' : '',
      })),
    }),
  caddyfile: () => {
    const site = (name: string, more = '') => `${name}.example.test {\n${more}reverse_proxy 127.0.0.1:${port}\n}\n`;
    const guard = 'basic_auth {\nme $2a$14$hash\n}\n';
    writeFileSync(join(base, 'Caddyfile'), `${site('open')}${site('guarded', guard)}${site('last')}`);
    return join(base, 'Caddyfile');
  },
};

describe.each(['nginx-proxy-manager', 'caddyfile'] as const)('the import %s', (kind) => {
  it.each([
    ['is to make the second service', /^POST .*\/(?:services|http)/, 2],
    ['is to close what was protected', /^\w+ .*disable/, 1],
    ['is to give what was protected its own lists', /^(?:PATCH|PUT) (?!.*(?:disable|enable))/, 1],
  ])('leaves nothing open when it is killed as it %s, and goes on after', STARTS, async (_, pattern, times) => {
    await trial.start();
    await trial.signIn();
    const source = SOURCES[kind]();
    let child: ChildProcess | null = null;
    let seen = 0;
    const server = await between(
      () => child,
      (call) => pattern.test(call) && (seen += 1) === times,
    );
    const env = { SALLYPORT_LISTEN: `127.0.0.1:${(server.address() as AddressInfo).port}` };
    await kill([kind, source], env, (started) => {
      child = started;
      return () => server.close();
    });

    expect(await trial.visit('open.example.test')).toBe('backend');
    expect(await trial.visit('guarded.example.test')).not.toContain('backend');
    const run = async () => {
      const { code, out } = await trial.start({}, { args: ['import', kind, source, '--apply', '--json'] });
      return [code, (JSON.parse(out) as { outcomes: { state: string }[] }).outcomes.map(({ state }) => state)];
    };
    expect(await run()).toEqual([0, ['there', 'made', 'made']]);
    const { body } = await trial.call('GET', '/api/services/http?search=guarded.example.test');
    expect(body).toMatchObject([{ enabled: false, blockedIps: null }]);
    expect(await trial.visit('last.example.test')).toBe('backend');
    expect(await trial.visit('guarded.example.test')).not.toContain('backend');
    expect(await run()).toEqual([0, ['there', 'there', 'there']]);
  });
});

describe('the import wiredoor', () => {
  it('leaves what was there or what comes when it is killed, and goes on from either', STARTS, async () => {
    const { path } = makeWiredoorDirectory(join(base, 'data'), {
      wg_interfaces: { subnet: SUBNET, address: '198.18.201.1/24' },
      nodes: [{ name: 'edge', address: '198.18.201.2' }],
    });
    await kill(['wiredoor', path], WIREDOOR, (child) => {
      const look = () => void (existsSync(`${trial.data}.restoring`) && child.kill('SIGKILL'));
      const watcher = watch(join(trial.data, '..'), look);
      return () => watcher.close();
    });
    expect(await trial.start(WIREDOOR, { args: ['import', 'wiredoor', path, '--apply'] })).toMatchObject({ code: 0 });
    expect(readdirSync(join(trial.data, '..')).filter((name) => name.startsWith('data'))).toEqual(['data']);
    expect(await trial.start({ SALLYPORT_WIREDOOR_CLIENTS: 'on', SALLYPORT_VPN_SUBNET: SUBNET })).toMatchObject({
      code: null,
    });
  });
});
