import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@sallyport/sdk';
import { createPasswords } from '../../packages/gateway/src/api/session/password.ts';
import { openDataDirectory } from '../../packages/gateway/src/machine/dataDirectory.ts';
import { openStore } from '../../packages/gateway/src/store/store.ts';
import { type DnsRecords, startDnsServer } from '../../packages/gateway/src/testing/dnsServer.ts';
import { freePorts, freeRange } from '../../packages/gateway/src/testing/freePorts.ts';
import { gatewayCommand } from '../../scripts/gatewayCommand.mjs';
import type { Namespace } from './namespaces.ts';

const START_LIMIT_MS = 60_000;
const USERNAME = 'admin';
const PASSWORD = 'correct horse battery staple';
/** To work out a password's hash as it is meant to be takes a third of a first start, and again at each sign-in. */
const CHEAP_COST_LOG2 = 4;
const POLL_MS = 50;

/** `tcp` are those that TCP services may be given. */
export type GatewayPorts = {
  api: number;
  console: number;
  http: number;
  https: number;
  tcp: { from: number; to: number };
};

const TCP_PORTS = 4;

/** A gateway as `npm start` runs it: the built program, its own nginx, a database file, a data directory of its own. */
export type GatewayProcess = {
  readonly data: string;
  readonly ports: GatewayPorts;
  readonly username: string;
  readonly password: string;
  /** Address of the API's own plain listener on loopback. */
  readonly apiUrl: string;
  /** Address of the console, as nginx serves it. */
  readonly consoleUrl: string;
  /** Everything that the program printed so far. */
  output(): string;
  /** The program's process; another one after each start. */
  child(): ChildProcess;
  /** Ends the program and keeps its data: nginx goes on, but after SIGINT. */
  end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /**
   * Starts the program again on the same data directory. Rejects when it ends before it serves.
   * @param settings what its environment is to be from now on, next to what it was
   */
  start(settings?: Record<string, string>): Promise<void>;
  /** Stops the program and nginx, and removes the data directory. */
  close(): Promise<void>;
};

export type GatewayOptions = {
  /** Host by which visitors reach the gateway. */
  host?: string;
  env?: Record<string, string>;
  /** The data directory, which stays when the gateway is closed; by default one is made and removed. */
  data?: string;
  /** A program and its arguments that runs the command which follows them in its own place, such as `unshare`. */
  launcher?: readonly string[];
  /** Arguments of Node before the program. */
  nodeArguments?: readonly string[];
  /** The network in which it runs; its ports are that network's. */
  namespace?: Namespace;
  /** Opens a channel for messages to the process. */
  ipc?: boolean;
  /** How many public ports there are for TCP services. */
  tcpPorts?: number;
  /** The ports that it has; by default free ones. */
  ports?: GatewayPorts;
};

/** Whether it serves; a tunnel that could not be set up is reported there too, and is waited for by no one. */
async function isServing(url: string, namespace: Namespace | undefined): Promise<boolean> {
  try {
    const text =
      namespace === undefined
        ? await (await fetch(`${url}/healthz`)).text()
        : await namespace.exec('curl', '--silent', `${url}/healthz`);
    const { ingress, database } = JSON.parse(text) as Record<string, unknown>;
    return ingress === 'up' && database === 'up';
  } catch {
    return false;
  }
}

/** Makes the database of a new gateway, with an administrator. How the program itself makes one is tried in `main.system`. */
async function makeDatabase(data: string): Promise<void> {
  const directory = openDataDirectory(data);
  const store = openStore(path.join(data, 'sallyport.db'), () => new Date());
  const passwordHash = await createPasswords(CHEAP_COST_LOG2).hash(PASSWORD);
  await store.write((tx) => tx.admin.set({ username: USERNAME, passwordHash }));
  await store.close();
  directory.close();
}

/** No test asks a public name server: names lead to loopback, except those that say otherwise. */
function recordsOf(name: string): DnsRecords {
  if (name.startsWith('nowhere.')) return { code: 'NXDOMAIN' };
  if (name.startsWith('elsewhere.')) return { cname: 'old-host.example.net', addresses: ['198.51.100.9'] };
  return { addresses: ['127.0.0.1'] };
}

/** Ports that no one uses; `tcpPorts` of them are for TCP services. */
export async function freeGatewayPorts(tcpPorts = TCP_PORTS): Promise<GatewayPorts> {
  const [api = 0, consolePort = 0, http = 0, https = 0] = await freePorts(4);
  return { api, console: consolePort, http, https, tcp: await freeRange(tcpPorts) };
}

/** Starts a gateway on free ports of loopback and waits until it serves. */
export async function startGateway(options: GatewayOptions = {}): Promise<GatewayProcess> {
  const { host = 'localhost', env = {}, nodeArguments = [], ipc = false, namespace } = options;
  const launcher = options.launcher ?? (namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace.name]);
  const data = options.data ?? (await mkdtemp(path.join(tmpdir(), 'sallyport-e2e-')));
  // nginx's workers run as another user and must be able to pass through.
  await chmod(data, 0o711);
  const ports = options.ports ?? (await freeGatewayPorts(options.tcpPorts));
  const { api, console: consolePort, http, https, tcp } = ports;
  const apiUrl = `http://127.0.0.1:${api}`;
  const dns = await startDnsServer(recordsOf);
  let child: ChildProcess | undefined;
  // A directory that is given may belong to another user.
  let knowsPassword = options.data === undefined;
  let printed = '';
  const changed: Record<string, string> = {};

  async function start(settings: Record<string, string> = {}) {
    Object.assign(changed, settings);
    const [node, ...rest] = gatewayCommand;
    const [command, ...words] = [...launcher, node, ...nodeArguments, ...rest] as [string, ...string[]];
    const started = spawn(command, words, {
      cwd: tmpdir(),
      stdio: ipc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        NODE_ENV: 'production',
        SALLYPORT_DATA: data,
        SALLYPORT_LISTEN: `127.0.0.1:${api}`,
        SALLYPORT_CONSOLE_PORT: String(consolePort),
        SALLYPORT_HTTP_PORT: String(http),
        SALLYPORT_HTTPS_PORT: String(https),
        SALLYPORT_TCP_PORTS: `${tcp.from}-${tcp.to}`,
        SALLYPORT_VPN_HOST: host,
        SALLYPORT_DNS_SERVERS: dns.address,
        // Nothing answers there: no test asks a public authority for a certificate.
        SALLYPORT_ACME_URL: 'https://127.0.0.1:1/directory',
        // A tunnel is for networks of the test's own.
        SALLYPORT_TUNNEL: 'off',
        SALLYPORT_ADMIN_USER: USERNAME,
        // Once it is known there, it would be checked at each start, which takes long on purpose.
        ...(!knowsPassword && { SALLYPORT_ADMIN_PASSWORD: PASSWORD }),
        ...env,
        ...changed,
      },
    });
    child = started;
    const { stdout, stderr } = started;
    if (stdout === null || stderr === null) throw new Error('The gateway has no output.');
    const keep = (chunk: Buffer) => {
      printed += chunk.toString();
    };
    stdout.on('data', keep);
    stderr.on('data', keep);
    const limit = Date.now() + START_LIMIT_MS;
    while (!(await isServing(apiUrl, namespace))) {
      const ended = started.exitCode ?? started.signalCode;
      if (ended !== null) throw new Error(`The gateway ended with ${ended}:\n${printed}`);
      if (Date.now() > limit) throw new Error(`The gateway did not start in ${START_LIMIT_MS} ms:\n${printed}`);
      await delay(POLL_MS);
    }
    knowsPassword = true;
  }

  async function end(signal: NodeJS.Signals) {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async function stopNginx() {
    const pid = await readFile(path.join(data, 'ingress/run/nginx.pid'), 'utf8').catch(() => '');
    if (/^\d+\s*$/.test(pid)) {
      try {
        process.kill(Number(pid), 'SIGTERM');
      } catch {
        // It is gone already.
      }
    }
  }

  if (knowsPassword) await makeDatabase(data);
  await start().catch(async (error: unknown) => {
    await dns.close();
    throw error;
  });
  return {
    data,
    ports,
    username: USERNAME,
    password: PASSWORD,
    apiUrl,
    consoleUrl: `https://${host}:${consolePort}`,
    output: () => printed,
    child() {
      if (child === undefined) throw new Error('The gateway was not started.');
      return child;
    },
    end,
    start,
    async close() {
      await end('SIGINT');
      await stopNginx();
      await dns.close();
      if (options.data === undefined) await rm(data, { recursive: true, force: true });
    },
  };
}

/** A client of a gateway's API, with its token, which is signed in. It sends nothing twice: what is not answered is what tests look at. */
export async function signedIn(
  gateway: Pick<GatewayProcess, 'apiUrl' | 'username' | 'password'>,
): Promise<{ client: Client; token: string }> {
  const { apiUrl: baseUrl, username, password } = gateway;
  const { token } = await createClient({ baseUrl }).session.login({ body: { username, password } });
  return { client: createClient({ baseUrl, token, retryDelaysMs: [] }), token };
}
