import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { IngressLayout } from './ingress.ts';
import { listWorkers, type ProcessId, signal } from './nginxProcess.ts';

const LIMIT_MS = 5000;
const POLL_MS = 5;

/**
 * Has nginx open its logs anew under their names, and returns when neither the master nor any worker, closing ones
 * included, holds another file of the logs' directory.
 * @throws {Error} when one did not let go in time
 */
export async function reopenLogs(layout: IngressLayout, master: ProcessId): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  signal(master, 'SIGUSR1');
  while (!holdsOnlyNamed(layout, master)) {
    if (performance.now() > deadline) throw new Error('nginx did not open its logs anew within 5 seconds.');
    // The end of a descriptor in another process is nothing that one could be told of.
    await delay(POLL_MS);
  }
}

/** Whether what our nginx writes to is what the logs' names lead to. */
function holdsOnlyNamed(layout: IngressLayout, master: ProcessId): boolean {
  const named = new Set([layout.accessLog, layout.errorLog].map(inodeOf));
  const pids = [master, ...listWorkers(master)].map(({ pid }) => pid);
  return pids.every((pid) => heldBelow(pid, `${layout.logs}/`).every((inode) => named.has(inode)));
}

/** The inodes of the files below a directory that a process holds open, also of those without a name. */
function heldBelow(pid: number, directory: string): (number | null)[] {
  const root = `/proc/${pid}/fd`;
  try {
    return readdirSync(root).flatMap((name) => {
      try {
        return readlinkSync(`${root}/${name}`).startsWith(directory) ? [inodeOf(`${root}/${name}`) ?? -1] : [];
      } catch {
        // It was closed meanwhile.
        return [];
      }
    });
  } catch {
    return [];
  }
}

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}
