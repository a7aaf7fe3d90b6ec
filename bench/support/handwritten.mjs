import { join } from 'node:path';
import { freePorts } from './gateway.mjs';
import { startNginx } from './nginx.mjs';

/** Two connections fewer than the load has would make some wait; idle ones are kept for the whole run. */
const KEPT_TO_BACKEND = 64;

const logFormat = String.raw`log_format access escape=json '{"t":"$msec","d":"1","s":"1","k":"http","c":"$remote_addr","r":"$request_method $request_uri $server_protocol","st":"$status","b":"$bytes_sent","ms":"$request_time","u":"$upstream_addr","h":"$host","i":"$request_length","w":"$upstream_response_time","a":"$http_user_agent"}';`;

const basics = (directory, workers) => `
daemon off;
worker_processes ${workers};
${workers === 'auto' ? 'worker_cpu_affinity auto;' : ''}
pid ${directory}/run/nginx.pid;
error_log ${directory}/logs/error.log emerg;
pcre_jit on;
events { worker_connections 8192; }
`;

const statusServer = (directory) => `
  server {
    listen unix:${directory}/run/status.sock;
    access_log off;
    location = /generation { return 200 "1 $pid"; }
    location = /served { stub_status; }
  }`;

const temporary = (directory) =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${directory}/tmp/${kind};`)
    .join(' ');

/**
 * A backend that costs as little as can be: an nginx that answers 1 kB from memory.
 * @param {{ address?: string, namespace?: import('../../e2e/support/namespaces.ts').Namespace }} [place] where it listens
 */
export async function startFastBackend({ address = '127.0.0.1', namespace } = {}) {
  const [port = 0] = await freePorts(1);
  const write = (directory) => ({
    'nginx.conf': `${basics(directory, 1)}
http {
  ${temporary(directory)}
  access_log off;
  keepalive_requests 100000000;
  keepalive_timeout 1h;
  tcp_nodelay on;
  server { listen ${address}:${port} backlog=4096; location / { default_type text/plain; return 200 "${'x'.repeat(1024)}"; } }
  ${statusServer(directory)}
}
`,
  });
  const nginx = await startNginx(write, namespace);
  await nginx.serves(1);
  return {
    port,
    stop: nginx.stop,
    /** How many requests it has answered since it began. */
    async served() {
      const text = (await nginx.answerAt('/served')) ?? '';
      // "server accepts handled requests", and below it the numbers.
      const [, requests] = /^ \d+ \d+ (\d+) $/m.exec(text) ?? [];
      if (requests === undefined) throw new Error(`the backend does not say what it served: ${text}`);
      return Number(requests);
    },
  };
}

/**
 * What somebody writes by hand who wants one service to be fast: its backend behind TLS, the log that the gateway
 * writes, and nothing else.
 * @param {{ backendHost?: string, backendPort: number, certificate: string, namespace?: import('../../e2e/support/namespaces.ts').Namespace }} options
 *   `certificate` is a PEM file with its key
 */
export async function startHandwritten({ backendHost = '127.0.0.1', backendPort, certificate, namespace }) {
  const [port = 0] = await freePorts(1);
  const write = (directory) => ({
    'nginx.conf': `${basics(directory, 'auto')}
http {
  ${temporary(directory)}
  ${logFormat}
  access_log ${join(directory, 'logs', 'access.log')} access buffer=32k flush=200ms;
  keepalive_requests 100000000;
  keepalive_timeout 65s;
  tcp_nodelay on;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache shared:tls:10m;
  upstream backend { server ${backendHost}:${backendPort}; keepalive ${KEPT_TO_BACKEND}; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} ssl http2;
    server_name _;
    ssl_certificate ${certificate};
    ssl_certificate_key ${certificate};
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
    }
  }
  ${statusServer(directory)}
}
`,
  });
  const nginx = await startNginx(write, namespace);
  await nginx.serves(1);
  return { port, pidFile: nginx.pidFile, stop: nginx.stop };
}
