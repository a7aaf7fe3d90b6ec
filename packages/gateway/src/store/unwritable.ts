import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { DatabaseError } from './open.ts';

/**
 * A write did not reach the disk; what was saved before is still there. The message is a sentence for whoever made the
 * write, so it names no path.
 */
export class UnwritableError extends DatabaseError {}

const FULL =
  'The disk that holds the data of the gateway is full, so nothing was saved. Make room on it, then try again.';
const BROKEN =
  'The disk that holds the data of the gateway cannot be written, so nothing was saved. The log of the gateway says why.';
const GONE =
  'The database was deleted or replaced while the gateway was using it, so nothing can be saved. Put the data directory back as it was, or restore a backup and start the gateway again.';

/** What SQLite said about a write, as a sentence where the disk is the reason; any other error as it is. */
export function explainWriteError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['SQLITE_FULL', 'ENOSPC', 'EDQUOT'].includes(code)) return new UnwritableError(FULL, { cause: error });
  if (/^SQLITE_(?:IOERR|READONLY|CANTOPEN)|^EIO$/.test(code)) return new UnwritableError(BROKEN, { cause: error });
  return error;
}

/**
 * Makes the check that an open database is still where it was opened; it throws an `UnwritableError` when it is not.
 * SQLite does not look: it would write on into files that have lost their names, and nobody would find again what was
 * saved.
 */
export function createPresenceCheck({ name, memory }: Pick<Database, 'name' | 'memory'>): () => void {
  if (memory) return () => undefined;
  const opened = [name, `${name}-wal`].map((file) => ({ file, identity: identityOf(file) }));
  return () => {
    const isThere = opened.every(({ file, identity }) => identity === null || identityOf(file) === identity);
    if (!isThere) throw new UnwritableError(GONE);
  };
}

function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
