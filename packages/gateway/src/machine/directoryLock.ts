import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

// A database that nobody refers to is closed by the garbage collector, and its lock is gone.
const heldDatabases = new Set<DatabaseSync>();

/** A held lock, or the process that holds it (`null` when it did not leave its number). */
export type DirectoryLock = { held: true; release(): void } | { held: false; holder: number | null };

/**
 * Takes an exclusive lock on a file.
 *
 * Node offers no flock; an open exclusive transaction of SQLite is one. The kernel drops it when the process ends,
 * however it ends, so it cannot go stale, and it holds between containers that share the directory. Child processes
 * do not inherit it.
 */
export function lockDirectory(lockFile: string, pidFile: string): DirectoryLock {
  const database = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    // Nothing is ever written to it; a journal on disk would only need room, which a full one has not.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      return { held: false, holder: readHolder(pidFile) };
    }
    throw error;
  }
  chmodSync(lockFile, 0o600);
  notePid(pidFile);
  heldDatabases.add(database);
  return {
    held: true,
    release: () => {
      if (heldDatabases.delete(database)) database.close();
    },
  };
}

/** For the message to a second gateway; the lock is held without it, so a full disk is no reason to give it up. */
function notePid(pidFile: string): void {
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')))
      throw error;
  }
}

function readHolder(pidFile: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    return Number.isSafeInteger(pid) ? pid : null;
  } catch {
    return null;
  }
}
