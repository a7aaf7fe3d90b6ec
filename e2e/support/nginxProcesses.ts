import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

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
  const workers = readdirSync('/proc').flatMap((name) => {
    const isChild = /^\d+$/.test(name) && new RegExp(`^PPid:\\t${master}$`, 'm').test(read(`/proc/${name}/status`));
    const title = isChild ? read(`/proc/${name}/cmdline`) : '';
    return title.startsWith('nginx: worker process')
      ? [{ pid: Number(name), closing: title.includes('shutting down') }]
      : [];
  });
  return { master, workers };
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
