import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../../packages/gateway/src/testing/freePorts.ts';
import { within } from './programs.mjs';

/** @typedef {import('../../e2e/support/namespaces.ts').Namespace} Namespace */

/** Debian keeps it where only root looks. */
const PATH = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;
const POLL_MS = 5;
const LIMIT_MS = 10_000;
/** Two connections fewer than the load has would make some wait; idle ones are kept for the whole run. */
const KEPT_TO_BACKEND = 64;

const logFormat = String.raw`log_format access escape=json '{"t":"$msec","d":"1","s":"1","k":"http","c":"$remote_addr","r":"$request_method $request_uri $server_protocol","st":"$status","b":"$bytes_sent","ms":"$request_time","u":"$upstream_addr","h":"$host","i":"$request_length","w":"$upstream_response_time","a":"$http_user_agent"}';`;

/**
 * A backend that costs as little as can be: an nginx that answers 1 kB from memory.
 * @param {{ address?: string, namespace?: Namespace }} [place] where it listens
 */
export async function startFastBackend({ address = '127.0.0.1', namespace } = {}) {
  const [port = 0] = await freePorts(1);
  const nginx = await startNginx({
    workers: '1',
    namespace,
    http: `
  access_log off;
  keepalive_timeout 1h;
  server { listen ${address}:${port} backlog=4096; location / { default_type text/plain; return 200 "${'x'.repeat(1024)}"; } }`,
  });
  return {
    port,
    stop: nginx.stop,
    /** How many requests it has answered since it began. */
    async served() {
      const text = await nginx.status();
      // "server accepts handled requests", and below it the numbers.
      const [, requests] = /^ \d+ \d+ (\d+) $/m.exec(text ?? '') ?? [];
      if (requests === undefined) throw new Error(`the backend does not say what it served: ${text}`);
      return Number(requests);
    },
  };
}

/**
 * What an engineer writes by hand who wants one service to be fast: its backend behind TLS, the log that the gateway
 * writes, and nothing else.
 * @param {{ backendHost?: string, backendPort: number, certificate: string, names?: string[], workers?: string, namespace?: Namespace }} options
 *   `certificate` is a PEM file with its key; each of the `names` has a server of its own, with the same one. By default each
 *   of the `workers` has a processor of its own: 2.5 % more on kept connections, and a quarter less on new ones
 */
export async function startHandwritten({
  backendHost = '127.0.0.1',
  backendPort,
  certificate,
  names = ['_'],
  workers = 'auto; worker_cpu_affinity auto',
  namespace,
}) {
  const [port = 0] = await freePorts(1);
  const { data, stop } = await startNginx({
    workers,
    namespace,
    http: `
  ${logFormat}
  access_log logs/access.log access buffer=32k flush=200ms;
  keepalive_timeout 65s;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache shared:tls:10m;
  upstream backend { server ${backendHost}:${backendPort}; keepalive ${KEPT_TO_BACKEND}; keepalive_requests 100000000; }
  ${names
    .map(
      (name) => `
  server {
    listen 127.0.0.1:${port} ssl http2;
    server_name ${name};
    ssl_certificate ${certificate};
    ssl_certificate_key ${certificate};
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
    }
  }`,
    )
    .join('')}`,
  });
  return { port, data, stop };
}

/**
 * Starts an nginx of the benchmark's own, in the place in a directory where a gateway has its nginx.
 * @param {{ workers: string, http: string, namespace: Namespace | undefined }} options `http` is what it serves
 */
async function startNginx({ workers, http, namespace }) {
  const data = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  // Its workers have an account of their own.
  chmodSync(data, 0o711);
  const directory = join(data, 'ingress');
  for (const name of ['logs', 'run', 'tmp']) mkdirSync(join(directory, name), { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path tmp/${kind};`,
  );
  const file = join(directory, 'nginx.conf');
  writeFileSync(
    file,
    `
daemon off;
worker_processes ${workers};
pid run/nginx.pid;
pcre_jit on;
events { worker_connections 8192; }
http {
  ${temporary.join(' ')}
  keepalive_requests 100000000;
  tcp_nodelay on;
  ${http}
  server { listen unix:${directory}/run/status.sock; access_log off; location / { stub_status; } }
}
`,
  );
  // It ends with the benchmark, though a session of its own keeps the Ctrl+C of the terminal from it.
  const command = ['--pdeathsig', 'TERM', 'nginx', '-e', join(directory, 'logs', 'error.log'), '-p', directory];
  const [program, ...words] = within(namespace, 'setpriv', ...command, '-c', file);
  const child = spawn(program, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { PATH },
    // As a daemon, and as the gateway's. Linux shares processors among sessions (`sched_autogroup_enabled`): in the
    // session of the load generator an nginx answers up to twice as much, on a machine that is busy.
    detached: true,
  });
  const ended = once(child, 'exit');
  const status = () => textOf(join(directory, 'run', 'status.sock'));
  const deadline = performance.now() + LIMIT_MS;
  while ((await status()) === null) {
    if (performance.now() > deadline) throw new Error(`the nginx of ${directory} does not serve`);
    await delay(POLL_MS);
  }
  return {
    data,
    /** What its private endpoint answers; null when it does not. */
    status,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** @returns {Promise<string | null>} */
function textOf(socketPath) {
  return new Promise((resolve) => {
    get({ socketPath, path: '/', agent: false, headers: { host: 'localhost' } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => resolve(text));
      response.on('error', () => resolve(null));
    }).on('error', () => resolve(null));
  });
}
