import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataDirectory, openDataDirectory } from '../machine/dataDirectory.ts';
import type { ConfigFile, Ingress, IngressLayout } from '../ingress/nginx/ingress.ts';
import type { IngressTrial } from '../ingress/nginx/ingress.contract.ts';
import { createNginxIngress } from '../ingress/nginx/nginxIngress.ts';
import { findMaster } from '../ingress/nginx/process.ts';

/** A real nginx in a directory of its own, for the tests of the ingress. */
export type NginxTrial = IngressTrial & {
  data: DataDirectory;
  port: number;
  masterPid(): number | null;
  /** The socket that takes its visitors, as the kernel numbers it: one nginx hands it on to the next. */
  listener(): number | null;
};

export async function openNginxTrial(port: number): Promise<NginxTrial> {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-nginx-'));
  chmodSync(base, 0o711);
  const data = openDataDirectory(join(base, 'data'));
  const ingress: Ingress = await createNginxIngress({ data });
  const { layout } = ingress;
  return {
    data,
    port,
    ingress,
    serving: (word) => trialConfig(layout, port, word),
    broken: () => brokenConfig(layout, port),
    visit: () => visit(port),
    masterPid: () => findMaster(layout)?.pid ?? null,
    listener: () => listenerOn(port),
    crash: () => {
      const master = findMaster(layout);
      if (master === null) throw new Error('There is no nginx to end.');
      process.kill(master.pid, 'SIGKILL');
      return Promise.resolve();
    },
    close: async () => {
      await ingress.stop();
      ingress.close();
      data.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

const LISTEN_STATE = '0A';

function listenerOn(port: number): number | null {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    if (local === address && state === LISTEN_STATE) return Number(inode);
  }
  return null;
}

/** A small configuration with everything that the ingress asks of one. */
export function trialConfig(layout: IngressLayout, port: number, word: string, more = ''): ConfigFile[] {
  const user = layout.workerUser === null ? '' : `user ${layout.workerUser.name};`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${layout.tmp}/${name};`)
    .join(' ');
  const fields = `{"t":"$msec","d":"$domain_id","s":"$service_id","k":"http","c":"$remote_addr","r":"$request","st":"$status","b":"$bytes_sent","ms":"$request_time","u":"$upstream_addr"}`;
  const text = `${user}
worker_processes 2;
pid ${layout.pidFile};
error_log ${layout.errorLog} notice;
worker_shutdown_timeout 60s;
events { worker_connections 512; }
http {
  ${temporary}
  log_format lines escape=json '${fields}';
  access_log ${layout.accessLog} lines buffer=64k flush=200ms;
  server {
    listen unix:${layout.statusSocket};
    access_log off;
    location = /generation { return 200 "${layout.generationMark} $pid"; }
  }
  server {
    listen 127.0.0.1:${port};
    set $domain_id 2;
    set $service_id 5;
    location / { return 200 "${word} ${layout.generationMark}"; }
    location /acme/ { alias ${layout.acme}/; }
    location /upload { client_max_body_size 8m; client_body_in_file_only clean; proxy_pass http://unix:${layout.gatewaySocket}:; }
  }
  ${more}
}
`;
  return [{ path: 'nginx.conf', text }];
}

function brokenConfig(layout: IngressLayout, port: number): ConfigFile[] {
  const broken = { path: 'broken.conf', text: '# one\n# two\nno_such_directive on;\n' };
  return [...trialConfig(layout, port, 'broken', 'include broken.conf;'), broken];
}

/** One request on a connection of its own, or of an agent; null when no one answers. */
export function visit(port: number, path = '/', agent: Agent | false = false): Promise<string | null> {
  return new Promise((resolve) => {
    const visitor = request({ host: '127.0.0.1', port, path, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
      response.on('error', () => resolve(null));
    });
    visitor.on('error', () => resolve(null));
    visitor.end();
  });
}
