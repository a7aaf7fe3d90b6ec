import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@sallyport/sdk';
import { gatewayCommand } from '../../scripts/gatewayCommand.mjs';
import { within } from './within.mjs';

/** Who administers every gateway of `startGateway`. */
export const ADMIN = { username: 'admin', password: 'only for this benchmark' };
const START_LIMIT_MS = 30_000;

/** A directory for one gateway, and the ports that it will have. */
export async function newHome() {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  // The workers of nginx have an account of their own, and look for files below it.
  chmodSync(directory, 0o711);
  const [listen = 0, console = 0, http = 0, https = 0] = await freePorts(4);
  return {
    directory,
    data: join(directory, 'data'),
    ports: { listen, console, http, https },
    url: `http://127.0.0.1:${listen}`,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Where the nginx of a gateway has the number of its master written. */
export const nginxPidFile = ({ data }) => join(data, 'ingress', 'run', 'nginx.pid');

/** As many different ports of loopback as asked for that nobody listens on at this moment. */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/**
 * Starts the gateway as it is released, in a home of `newHome`. Resolves when it says that it runs.
 * @param {{ namespace: import('../../e2e/support/namespaces.ts').Namespace, tunnel: string }} [network]
 *   a network in which it runs, and the interface of its tunnel there; without one it has no tunnel
 * @param {Record<string, string>} [settings] more of its settings, as environment variables
 */
export async function startGateway(home, network, settings = {}) {
  const log = join(home.directory, 'gateway.log');
  const [program, ...words] = within(network?.namespace, ...gatewayCommand);
  const child = spawn(program, words, {
    env: {
      PATH: process.env['PATH'],
      SALLYPORT_DATA: home.data,
      SALLYPORT_LISTEN: `127.0.0.1:${home.ports.listen}`,
      SALLYPORT_CONSOLE_PORT: String(home.ports.console),
      SALLYPORT_HTTP_PORT: String(home.ports.http),
      SALLYPORT_HTTPS_PORT: String(home.ports.https),
      SALLYPORT_VPN_HOST: 'localhost',
      SALLYPORT_ACME_URL: 'https://127.0.0.1:1/directory',
      ...(network === undefined ? { SALLYPORT_TUNNEL: 'off' } : { SALLYPORT_VPN_INTERFACE: network.tunnel }),
      SALLYPORT_ADMIN_PASSWORD: ADMIN.password,
      ...settings,
    },
    stdio: ['ignore', 'pipe', openSync(log, 'w')],
  });
  const ended = once(child, 'exit');
  const said = () => new Error(`the gateway did not start:\n${readFileSync(log, 'utf8').slice(-2000)}`);
  try {
    await Promise.race([
      runs(child),
      ended.then(() => {
        throw said();
      }),
    ]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    /** Ends it and its nginx. */
    async stop() {
      child.kill('SIGINT');
      await ended;
    },
    /** Ends it as a crash does, and then the nginx that it leaves serving. */
    async kill() {
      child.kill('SIGKILL');
      await ended;
      const pidFile = nginxPidFile(home);
      const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
      if (pid > 1) process.kill(pid, 'SIGTERM');
    },
  };
}

async function runs(child) {
  let text = '';
  for await (const part of on(child.stdout, AbortSignal.timeout(START_LIMIT_MS))) {
    text += part;
    if (text.includes('Sallyport is running')) return;
  }
}

async function* on(stream, signal) {
  stream.setEncoding('utf8');
  for (;;) yield (await once(stream, 'data', { signal }))[0];
}

/** Signs in; resolves to the SDK's client and the token that it uses. */
export async function signIn({ url }) {
  const { token } = await createClient({ baseUrl: url }).session.login({ body: ADMIN });
  return { client: createClient({ baseUrl: url, token }), token };
}

/** What a visitor is answered on a connection of its own: the status and the body; status 0 when there is nobody. */
export function visit({ ports }, host, path = '/') {
  return new Promise((resolve) => {
    const options = { servername: host, headers: { host }, rejectUnauthorized: false, agent: false };
    const request = get({ host: '127.0.0.1', port: ports.https, path, ...options }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode, body }));
      response.on('error', () => resolve({ status: 0, body: '' }));
    });
    request.on('error', () => resolve({ status: 0, body: '' }));
  });
}
