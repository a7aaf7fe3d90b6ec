import { fdatasync, openSync, closeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';

/** Brings what was committed onto the disk. */
export type DiskSync = {
  /** Fulfilled when every commit before the call would outlive a power cut. Callers of the same moment share one wait. */
  sync(): Promise<void>;
  close(): void;
};

/**
 * The write-ahead log of an open database, written through to the disk next to everything else that the gateway does:
 * SQLite itself would stop the whole process for it, once for each commit. The pages of the log belong to the file, not
 * to anyone who wrote them, so a descriptor of our own does as well as SQLite's.
 */
export function createDiskSync(
  { name, memory }: Pick<Database, 'name' | 'memory'>,
  flush: (descriptor: number) => Promise<void> = promisify(fdatasync),
): DiskSync {
  if (memory) return { sync: () => Promise.resolve(), close: () => undefined };
  const log = openSync(`${name}-wal`, 'r');
  let closed = false;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const run = (): Promise<void> => {
    next = null;
    running = flush(log).finally(() => {
      if (next === null) running = null;
      if (closed && running === null) closeSync(log);
    });
    return running;
  };
  return {
    // One that runs already may have begun before the commit.
    sync: () => {
      if (running === null) return run();
      next ??= running.then(run, run);
      return next;
    },
    close: () => {
      if (closed) return;
      closed = true;
      if (running === null) closeSync(log);
    },
  };
}
