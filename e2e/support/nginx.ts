import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { freePorts } from '../../packages/gateway/src/testing/freePorts.ts';
import type { GatewayProcess } from './gateway.ts';
import { until } from './fault.ts';

/** A gateway's nginx as the system sees it. */
export type NginxProcesses = { master: number; workers: { pid: number; closing: boolean }[] };

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** nginx's processes; null while there is no master. */
export function nginxProcesses(data: string): NginxProcesses | null {
  const master = Number.parseInt(read(path.join(data, 'ingress/run/nginx.pid')), 10);
  if (!read(`/proc/${master}/cmdline`).startsWith('nginx: master process')) return null;
  const children: string[] = read(`/proc/${master}/task/${master}/children`).match(/\d+/g) ?? [];
  const workers = children.flatMap((name) => {
    const title = read(`/proc/${name}/cmdline`);
    // One that has just been forked still has the title of its master.
    return /^nginx: (?:worker|master) process/.test(title)
      ? [{ pid: Number(name), closing: title.includes('shutting down') }]
      : [];
  });
  return {
    master,
    workers: [
      ...workers,
      ...closingOf(data)
        .filter((pid) => !children.includes(String(pid)))
        .map((pid) => ({ pid, closing: true })),
    ],
  };
}

/** Workers that finish what they have; their master has gone before them. They are known by the log that they write. */
function closingOf(data: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!read(`/proc/${name}/cmdline`).startsWith('nginx: worker process is shutting down')) return [];
    return readlinks(`/proc/${name}/fd`).some((file) => file.startsWith(`${data}/`)) ? [Number(name)] : [];
  });
}

/** What the links of a directory lead to; those that are gone are left out. */
function readlinks(directory: string): string[] {
  try {
    return readdirSync(directory).flatMap((name) => {
      try {
        return [readlinkSync(path.join(directory, name))];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/**
 * The memory of all of them in bytes, what they share counted once; without the cache of TLS sessions, which fills up to
 * its 10 MB with anyone who comes.
 */
export function nginxMemory(data: string): number {
  const found = nginxProcesses(data);
  if (found === null) return 0;
  const pids = [found.master, ...found.workers.map(({ pid }) => pid)];
  return pids.reduce(
    (sum, pid) => sum + 1024 * Number(/^Pss_Anon:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
    0,
  );
}

const RELOAD_LIMIT_MS = 10_000;

/** An nginx of its own with the configuration that a gateway's nginx serves now, on other ports. */
export type BareNginx = {
  httpsPort: number;
  /** `nginx -t` */
  test(): Promise<void>;
  /** Has it read the same configuration again; returns when no old worker takes connections any more. */
  reload(): Promise<void>;
  close(): Promise<void>;
};

export async function startBareNginx({ data, ports }: GatewayProcess): Promise<BareNginx> {
  const home = await mkdtemp(path.join(tmpdir(), 'sallyport-bare-'));
  await chmod(home, 0o711);
  for (const directory of ['run', 'logs', 'tmp', 'acme', 'generations']) {
    await mkdir(path.join(home, 'ingress', directory), { recursive: true });
  }
  const wanted = [ports.http, ports.https, ports.console];
  const others = await freePorts(wanted.length);
  const translate = (text: string): string =>
    wanted.reduce(
      (all, port, index) => all.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), String(others[index])),
      text.replaceAll(`${data}/ingress`, `${home}/ingress`),
    );
  const from = await realpath(path.join(data, 'ingress/current'));
  const to = translate(from);
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const target = translate(path.join(entry.parentPath, entry.name));
    await mkdir(path.dirname(target), { recursive: true });
    if (entry.isFile())
      await writeFile(target, translate(await readFile(path.join(entry.parentPath, entry.name), 'utf8')));
  }
  // What the configuration includes by the name of the link.
  await promisify(execFile)('ln', ['-s', to, path.join(home, 'ingress/current')]);
  const command = ['-e', path.join(home, 'ingress/logs/error.log'), '-p', path.join(home, 'ingress')];
  const nginx = (...more: string[]) =>
    promisify(execFile)('nginx', [...command, '-c', path.join(to, 'nginx.conf'), ...more]);
  await nginx();

  const processes = () => {
    const found = nginxProcesses(home);
    if (found === null) throw new Error('The bare nginx does not run.');
    return found;
  };
  return {
    httpsPort: others[1] ?? 0,
    test: async () => void (await nginx('-t', '-q')),
    async reload() {
      const { master, workers } = processes();
      const old = new Set(workers.map(({ pid }) => pid));
      process.kill(master, 'SIGHUP');
      await until('the bare nginx has new workers', RELOAD_LIMIT_MS, () => {
        const open = processes().workers.filter(({ closing }) => !closing);
        return open.length > 0 && open.every(({ pid }) => !old.has(pid));
      });
    },
    async close() {
      process.kill(processes().master, 'SIGTERM');
      await until('the bare nginx has ended', RELOAD_LIMIT_MS, () => nginxProcesses(home) === null);
      await rm(home, { recursive: true, force: true });
    },
  };
}
