import { closeSync, fstatSync, openSync, readdirSync, readlinkSync, readSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { IngressLayout } from './ingress.ts';
import { findOrphans, listWorkers, type ProcessId, signal } from './process.ts';

const MOST_BYTES = 1 << 20;

/** Reads what a log got since it was marked. */
export type LogMark = {
  newText(): string;
  /** The same, and begins again from here. */
  takeText(): string;
};

/** Remembers where a log ends now. A log that is replaced or cut afterwards is read from its beginning. */
export function markLog(file: string): LogMark {
  let { inode, size: offset } = measure(file) ?? { inode: 0, size: 0 };
  let text = '';
  const newText = (): string => {
    const now = measure(file);
    if (now === null || (now.inode === inode && now.size === offset)) return text;
    if (now.inode !== inode || now.size < offset) offset = 0;
    inode = now.inode;
    const chunk = readFrom(file, offset);
    offset += chunk.length;
    text = (text + chunk.toString('latin1')).slice(-MOST_BYTES);
    return text;
  };
  return {
    newText,
    takeText: () => {
      const taken = newText();
      text = '';
      return taken;
    },
  };
}

function measure(file: string): { inode: number; size: number } | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? null : { inode: stat.ino, size: stat.size };
}

function readFrom(file: string, offset: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const wanted = Math.min(Math.max(fstatSync(descriptor).size - offset, 0), MOST_BYTES);
    const buffer = Buffer.alloc(wanted);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, wanted, offset));
  } finally {
    closeSync(descriptor);
  }
}

/** A worker of nginx that crashed, or that someone killed. Its master has put another in its place at once. */
export type WorkerDeath = { worker: number; signal: number };

const LOOK_MS = 500;
// At the beginning of a line: what a visitor asked for may be quoted further on in one.
const DEATH = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[alert\] \d+#\d+: worker process (\d+) exited on signal (\d+)/gm;

/**
 * Tells of each worker that ends unexpectedly from now on, within about half a second. Those of a master that is gone
 * are told by no one.
 * @param errorLog nginx's; it need not be there yet
 * @returns the way to stop
 */
export function watchWorkerDeaths(errorLog: string, onDeath: (death: WorkerDeath) => void): () => void {
  const log = markLog(errorLog);
  const look = (): void => {
    for (const [, worker, cause] of log.takeText().matchAll(DEATH)) {
      onDeath({ worker: Number(worker), signal: Number(cause) });
    }
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // A log that was just moved away is there again at the next look.
    }
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

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
  // No one else tells them; and only now, because workers may open the new files but not make them.
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
