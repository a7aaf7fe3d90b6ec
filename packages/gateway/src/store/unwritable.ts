import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { DatabaseError } from './open.ts';

/**
 * A write did not reach the disk; what was saved before is still there. The message is a sentence for anyone who made the
 * write, so it names no path.
 */
export class UnwritableError extends DatabaseError {}

const FULL =
  'The disk that holds the data of the gateway is full, so nothing was saved. Free some space on it, then try again.';
const BROKEN =
  'The disk that holds the data of the gateway cannot be written, so nothing was saved. The log of the gateway says why.';
const GONE =
  'The database was deleted or replaced while the gateway was using it, so nothing can be saved. Put the data directory back as it was, or restore a backup and start the gateway again.';

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Whether there was no room for it. */
export const isFull = (error: unknown): boolean => ['SQLITE_FULL', 'ENOSPC', 'EDQUOT'].includes(codeOf(error));

/** What SQLite said about a write, as a sentence where the disk is the reason; any other error as it is. */
export function explainWriteError(error: unknown): unknown {
  const code = codeOf(error);
  if (isFull(error)) return new UnwritableError(FULL, { cause: error });
  if (/^SQLITE_(?:IOERR|READONLY|CANTOPEN)|^EIO$/.test(code)) return new UnwritableError(BROKEN, { cause: error });
  return error;
}

/** Whether an open database is still where it was opened. */
export type Presence = {
  /** Why it is not, in a sentence; null: it is. */
  problem(): string | null;
  /** @throws {UnwritableError} when it is not */
  check(): void;
};

/**
 * Makes the look whether an open database is still where it was opened. SQLite does not look: it would write on into
 * files that have lost their names, and what was saved could not be found again.
 */
export function createPresence({ name, memory }: Pick<Database, 'name' | 'memory'>): Presence {
  const opened = memory ? [] : [name, `${name}-wal`].map((file) => ({ file, identity: identityOf(file) }));
  const problem = (): string | null => {
    const isThere = opened.every(({ file, identity }) => identity === null || identityOf(file) === identity);
    return isThere && (memory || isFilled(name)) ? null : GONE;
  };
  return {
    problem,
    check() {
      if (problem() !== null) throw new UnwritableError(GONE);
    },
  };
}

function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

/** One that was emptied in its place is as good as deleted. */
const isFilled = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
