import { chmodSync, closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { APPLICATION_ID, checkVersion, migrate, type Migration, migrations, NewerDatabaseError } from './migrations.ts';

/** The database cannot be used. The message is a sentence that says what to do; the file was left as it is. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** It is of an earlier version, and the one who opens it may not bring it up to date. */
export class OlderDatabaseError extends DatabaseError {}

const IN_MEMORY = ':memory:';
const BUSY_TIMEOUT_MS = 5000;
/** So much is copied between two looks at how far it is: 4 MB. */
const STEP_PAGES = 1024;
const NO_ROOM = /^SQLITE_(?:FULL|IOERR|CANTOPEN)/;
const VALUE_FINDING = /^(?:NULL value in|CHECK constraint failed in|NUMERIC value in|TEXT value in|non-\w+ value in) /;
const MAGIC = 'SQLite format 3\0';

export type OpenOptions = {
  steps?: readonly Migration[];
  /** False: a database of an older version is refused, because a gateway that runs may have it open. */
  mayMigrate?: boolean;
  /** Names the files of a gateway that are there already; where there are some, no new database is begun. */
  otherFiles?: () => readonly string[];
  /**
   * Makes room on a full disk, so that a change can be saved; false: there is none to be made.
   * @param mayUseReserve it deletes something or signs out, for which room is kept back
   */
  makeRoom?: (mayUseReserve: boolean) => boolean;
};

/**
 * Opens the database file and brings its schema up to date; makes it when there is none.
 * @param path a file, or `:memory:`
 * @throws {DatabaseError} when the file is no database, damaged, or of a newer gateway, or was lost
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  if (path !== IN_MEMORY) {
    // Before SQLite: it would remove the newest changes of a database that is gone.
    checkThere(path, options);
    prepareFile(path);
  }
  try {
    return openFile(path, options, false);
  } catch (error) {
    // Without room for the index that programs share: as the only one that uses the file, it needs none. What the rows of
    // a full disk say is served all the same.
    if (NO_ROOM.test(codeOf(error))) {
      try {
        return openFile(path, options, true);
      } catch {
        // The first reason is the one that counts.
      }
    }
    throw explained(path, error);
  }
}

function openFile(path: string, { steps, otherFiles, mayMigrate = true }: OpenOptions, isAlone: boolean): Database {
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    if (isAlone) database.pragma('locking_mode = EXCLUSIVE');
    checkIntegrity(path, database);
    checkOwner(path, database);
    // Before the pragmas: already a change of the journal mode writes to the file.
    const version = checkVersion(database, steps);
    if (!mayMigrate && version < (steps ?? migrations).length) throw olderDatabase(path);
    if (!hasBegun(database)) refuseLost(path, 'is empty', otherFiles?.() ?? []);
    setPragmas(database);
    migrate(database, steps);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Reads all of a database. @throws {DatabaseError} when it is damaged */
export function checkDatabase(file: string): void {
  const database = new Sqlite(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    checkIntegrity(file, database);
  } catch (error) {
    throw explained(file, error);
  } finally {
    database.close();
  }
}

/**
 * Makes a copy of a database as of one moment, whatever is written to it meanwhile; only its owner may read it. A
 * damaged one is copied as it is.
 * @param told how much of it is copied, in bytes
 */
export async function copyDatabase(
  file: string,
  copy: string,
  told: (bytes: number, all: number) => void,
): Promise<void> {
  const database = new Sqlite(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const pageBytes = Number(database.pragma('page_size', { simple: true }));
    // While this connection reads one moment, the copy is of it. Otherwise it would begin over with each write.
    database.exec('begin');
    database.prepare('select count(*) from sqlite_schema').get();
    await database.backup(copy, {
      progress({ totalPages, remainingPages }) {
        told((totalPages - remainingPages) * pageBytes, totalPages * pageBytes);
        return STEP_PAGES;
      },
    });
  } finally {
    database.close();
  }
  chmodSync(copy, 0o600);
}

/**
 * Reads what a gateway that does not run has stored of its settings, by their keys, also one of an older version. It
 * changes nothing. @throws when the file cannot be read
 */
export function readSettings(file: string): ReadonlyMap<string, string> {
  const database = new Sqlite(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const rows = database.prepare<[], { key: string; value: string }>('select key, value from settings').all();
    return new Map(rows.map(({ key, value }) => [key, value]));
  } finally {
    database.close();
  }
}

/** Makes the file readable by its owner alone before SQLite writes to it (its -wal and -shm files get the same mode). */
function prepareFile(path: string): void {
  try {
    if (isFilled(path) && firstBytes(path) !== MAGIC) throw notADatabase(path);
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    throw explained(path, error);
  }
}

function checkThere(path: string, { otherFiles }: OpenOptions): void {
  if (isFilled(path)) return;
  const changes = isFilled(`${path}-wal`) ? [`${basename(path)}-wal`] : [];
  refuseLost(path, existsSync(path) ? 'is empty' : 'is missing', [...changes, ...(otherFiles?.() ?? [])]);
}

const isFilled = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** The first thing that a new database holds is a node, this machine; it is never without one again. */
function hasBegun(database: Database): boolean {
  const tables = database.prepare(`select count(*) from sqlite_schema where name in ('nodes', 'admin')`).pluck().get();
  if (Number(tables) < 2) return false;
  return (
    Number(database.prepare('select exists (select 1 from nodes) or exists (select 1 from admin)').pluck().get()) === 1
  );
}

function refuseLost(path: string, state: string, found: readonly string[]): void {
  if (found.length === 0) return;
  throw new DatabaseError(
    `The database ${path} ${state}, but other files of a gateway are next to it (${found.join(', ')}). Nothing was changed, and what nginx serves goes on. Put the database back, or restore a backup of the whole directory (sallyport-gateway restore FILE); for a new gateway, remove that directory or name another one with SALLYPORT_DATA.`,
  );
}

function firstBytes(path: string): string {
  const bytes = Buffer.alloc(MAGIC.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(file);
  }
  return bytes.toString('latin1');
}

function checkIntegrity(path: string, database: Database): void {
  const found = database.prepare('pragma quick_check').pluck().all().map(String);
  // A value that a column should not hold is no reason to stop serving: the code that reads the row reports what is wrong with it.
  if (found.some((finding) => finding !== 'ok' && !VALUE_FINDING.test(finding))) throw damaged(path);
}

function checkOwner(path: string, database: Database): void {
  const owner = Number(database.pragma('application_id', { simple: true }));
  const tables = Number(database.prepare('select count(*) from sqlite_schema').pluck().get());
  if (owner !== APPLICATION_ID && tables > 0) throw notADatabase(path);
}

function setPragmas(database: Database): void {
  // First, because each of the others may already have to wait for another process (a backup, a reader).
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Readers and the writer do not block each other, and a commit is one write to one file.
  database.pragma('journal_mode = WAL');
  // A write is on the disk before it is answered: the store sees to that (commit.ts), without stopping for it.
  database.pragma('synchronous = NORMAL');
  // SQLite keeps foreign keys only where a connection asks for them.
  database.pragma('foreign_keys = ON');
}

const damaged = (path: string) =>
  new DatabaseError(
    `The database ${path} is damaged. It was left as it is: restore a backup (sallyport-gateway restore FILE); for a new gateway, remove the directory that it is in or name another one with SALLYPORT_DATA.`,
  );

const olderDatabase = (path: string) =>
  new OlderDatabaseError(
    `The database ${path} is of an older version of Sallyport. Start the gateway once with this version, then try again.`,
  );

const notADatabase = (path: string) =>
  new DatabaseError(
    `${path} is not a database of Sallyport. It was left as it is: put the right one in its place, or name another directory with SALLYPORT_DATA.`,
  );

// Of a full disk SQLite also says that it cannot make the index of its journal.
const UNWRITABLE =
  /^(?:EACCES|EPERM|EROFS|ENOSPC|EISDIR|SQLITE_(?:CANTOPEN|READONLY|FULL|IOERR_(?:SHM\w+|WRITE|FSYNC|TRUNCATE)))$/;

/** What SQLite said about an open database, as a sentence where an administrator can fix it; any other error as it is. */
export function explainDatabaseError(path: string, error: unknown): unknown {
  return codeOf(error).startsWith('SQLITE_') ? explained(path, error) : error;
}

function explained(path: string, error: unknown): unknown {
  if (error instanceof DatabaseError) return error;
  if (error instanceof NewerDatabaseError) {
    return new DatabaseError(
      `The database ${path} was written by a newer version of Sallyport. It was left as it is: start that version, or restore a backup made before the update: sallyport-gateway restore FILE`,
      { cause: error },
    );
  }
  const code = codeOf(error);
  if (code === 'SQLITE_NOTADB') return notADatabase(path);
  if (code.startsWith('SQLITE_CORRUPT')) return damaged(path);
  const said =
    code === 'SQLITE_BUSY'
      ? `The database ${path} is locked by another program. Stop that program first.`
      : `The database ${path} cannot be written (${code}). Check its owner, its mode and the space on its disk.`;
  return code === 'SQLITE_BUSY' || UNWRITABLE.test(code) ? new DatabaseError(said, { cause: error }) : error;
}

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

/** The word of SQLite, or of the system, for what went wrong; '' where there is none. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Whether there was no room for it. */
export const isFull = (error: unknown): boolean => ['SQLITE_FULL', 'ENOSPC', 'EDQUOT'].includes(codeOf(error));

/** Waits for a write that a later start can make as well: where the disk does not take it, it is left out. */
export async function unlessUnwritable(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
  }
}

/** What SQLite said about a write, as a sentence where the disk is the reason; any other error as it is. */
export function explainWriteError(error: unknown): unknown {
  const code = codeOf(error);
  if (isFull(error)) return new UnwritableError(FULL, { cause: error });
  if (/^SQLITE_(?:IOERR|READONLY|CANTOPEN)|^EIO$/.test(code)) return new UnwritableError(BROKEN, { cause: error });
  return error;
}

/**
 * Makes the look whether an open database is still where it was opened. SQLite does not look: it would write on into
 * files that have lost their names, and what was saved could not be found again.
 */
export function createPresence({ name, memory }: Pick<Database, 'name' | 'memory'>) {
  const opened = memory ? [] : [name, `${name}-wal`].map((file) => ({ file, identity: identityOf(file) }));
  const problem = (): string | null => {
    const isThere = opened.every(({ file, identity }) => identity === null || identityOf(file) === identity);
    // One that was emptied in its place is as good as deleted.
    return isThere && (memory || isFilled(name)) ? null : GONE;
  };
  return {
    /** Why it is not, in a sentence; null: it is. */
    problem,
    /** @throws {UnwritableError} when it is not */
    check(): void {
      if (problem() !== null) throw new UnwritableError(GONE);
    },
  };
}

function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
