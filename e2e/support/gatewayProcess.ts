import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from './freePorts.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const START_LIMIT_MS = 60_000;
const POLL_MS = 50;

export type GatewayPorts = { api: number; console: number; http: number; https: number };

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
  /** Ends the program the hard way; nginx goes on. */
  kill(): Promise<void>;
  /** Starts the program again on the same data directory. */
  start(): Promise<void>;
  /** Stops the program and nginx, and removes the data directory. */
  close(): Promise<void>;
};

export type GatewayOptions = {
  /** Host by which visitors reach the gateway. */
  host?: string;
  env?: Record<string, string>;
};

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}

/** Starts a gateway on free ports of loopback and waits until it serves. */
export async function startGateway({ host = 'localhost', env = {} }: GatewayOptions = {}): Promise<GatewayProcess> {
  const data = await mkdtemp(path.join(tmpdir(), 'sallyport-e2e-'));
  // nginx's workers run as another user and must be able to pass through.
  await chmod(data, 0o711);
  const [api = 0, consolePort = 0, http = 0, https = 0] = await freePorts(4);
  const ports = { api, console: consolePort, http, https };
  const password = 'correct horse battery staple';
  const apiUrl = `http://127.0.0.1:${api}`;
  let child: ChildProcess | undefined;
  let printed = '';

  async function start() {
    const started = spawn(process.execPath, [path.join(ROOT, 'packages/gateway/dist/main.js')], {
      cwd: data,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_ENV: 'production',
        SALLYPORT_DATA: data,
        SALLYPORT_LISTEN: `127.0.0.1:${api}`,
        SALLYPORT_CONSOLE_PORT: String(consolePort),
        SALLYPORT_HTTP_PORT: String(http),
        SALLYPORT_HTTPS_PORT: String(https),
        SALLYPORT_VPN_HOST: host,
        SALLYPORT_ADMIN_USER: 'admin',
        SALLYPORT_ADMIN_PASSWORD: password,
        ...env,
      },
    });
    child = started;
    const keep = (chunk: Buffer) => {
      printed += chunk.toString();
    };
    started.stdout.on('data', keep);
    started.stderr.on('data', keep);
    const limit = Date.now() + START_LIMIT_MS;
    while (!(await isHealthy(apiUrl))) {
      if (started.exitCode !== null) throw new Error(`The gateway ended with ${started.exitCode}:\n${printed}`);
      if (Date.now() > limit) throw new Error(`The gateway did not start in ${START_LIMIT_MS} ms:\n${printed}`);
      await delay(POLL_MS);
    }
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

  await start();
  return {
    data,
    ports,
    username: 'admin',
    password,
    apiUrl,
    consoleUrl: `https://${host}:${consolePort}`,
    output: () => printed,
    kill: () => end('SIGKILL'),
    start,
    async close() {
      await end('SIGINT');
      await stopNginx();
      await rm(data, { recursive: true, force: true });
    },
  };
}
