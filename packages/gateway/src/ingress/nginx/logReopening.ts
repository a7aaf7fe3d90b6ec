import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { IngressLayout } from './ingress.ts';
import { findOrphans, listWorkers, type ProcessId, signal } from './process.ts';

const LIMIT_MS = 5000;
const POLL_MS = 5;

/**
 * Has nginx open its logs again under their names, and returns when neither the master nor any worker, closing ones and
 * those of a killed master included, holds another file of the logs' directory.
 * @throws {Error} when one did not let go in time
 */
export async function reopenLogs(layout: IngressLayout, master: ProcessId): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  const letGo = async (processes: () => readonly ProcessId[]): Promise<void> => {
    while (!holdOnlyNamed(layout, processes())) {
      if (performance.now() > deadline) throw new Error('nginx did not reopen its logs within 5 seconds.');
      // The end of a descriptor in another process is nothing that one could be told of.
      await delay(POLL_MS);
    }
  };
  signal(master, 'SIGUSR1');
  await letGo(() => [master, ...listWorkers(master)]);
  // Nobody else tells them; and only now, because workers may open the new files but not make them.
  const orphans = findOrphans(layout);
  for (const orphan of orphans) signal(orphan, 'SIGUSR1');
  await letGo(() => orphans);
}

/** Whether what these processes write to is what the logs' names lead to. */
function holdOnlyNamed(layout: IngressLayout, processes: readonly ProcessId[]): boolean {
  const named = new Set([layout.accessLog, layout.errorLog].map(inodeOf));
  return processes.every(({ pid }) => heldBelow(pid, `${layout.logs}/`).every((inode) => named.has(inode)));
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
