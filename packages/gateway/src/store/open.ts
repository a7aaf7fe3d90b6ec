import { chmodSync, closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { APPLICATION_ID, checkVersion, migrate, NewerDatabaseError } from './migrate.ts';
import type { Migration } from './migrations/migrations.ts';

/** The database cannot be used. The message is a sentence that says what to do; the file was left as it is. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

const IN_MEMORY = ':memory:';
const BUSY_TIMEOUT_MS = 5000;
const MAGIC = 'SQLite format 3\0';

/**
 * Opens the database file and brings its schema up to date; makes it when there is none.
 * @param path a file, or `:memory:`
 * @throws {DatabaseError} when the file is no database, damaged, or of a newer gateway
 */
export function openDatabase(path: string, steps?: readonly Migration[]): Database {
  if (path !== IN_MEMORY) prepareFile(path);
  let database: Database | undefined;
  try {
    database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
    checkIntegrity(path, database);
    checkOwner(path, database);
    // Before the pragmas: already a change of the journal mode writes to the file.
    checkVersion(database, steps);
    setPragmas(database);
    migrate(database, steps);
    return database;
  } catch (error) {
    database?.close();
    throw explained(path, error);
  }
}

/** Makes the file readable by its owner alone before SQLite writes to it (its -wal and -shm files get the same mode). */
function prepareFile(path: string): void {
  try {
    if (existsSync(path)) {
      const { size } = statSync(path);
      if (size > 0 && firstBytes(path) !== MAGIC) throw notADatabase(path);
    }
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    throw explained(path, error);
  }
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
  const found = String(database.pragma('quick_check(1)', { simple: true }));
  if (found !== 'ok') throw damaged(path);
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
  // A write is on the disk before it is answered: the store sees to that (diskSync.ts), without stopping for it.
  database.pragma('synchronous = NORMAL');
  // SQLite keeps foreign keys only where a connection asks for them.
  database.pragma('foreign_keys = ON');
}

const damaged = (path: string) =>
  new DatabaseError(
    `The database ${path} is damaged. It was left as it is: restore it from a backup, or move it away to start with an empty one.`,
  );

const notADatabase = (path: string) =>
  new DatabaseError(
    `${path} is not a database of Sallyport. It was left as it is: move it away to start with an empty one.`,
  );

/** What SQLite said about an open database, as a sentence where an administrator can mend it; any other error as it is. */
export function explainDatabaseError(path: string, error: unknown): unknown {
  return codeOf(error).startsWith('SQLITE_') ? explained(path, error) : error;
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

function explained(path: string, error: unknown): unknown {
  if (error instanceof DatabaseError) return error;
  if (error instanceof NewerDatabaseError) {
    return new DatabaseError(
      `The database ${path} was written by a newer version of Sallyport. It was left as it is: start that version, or restore a backup made before the update.`,
      { cause: error },
    );
  }
  const code = codeOf(error);
  if (code === 'SQLITE_NOTADB') return notADatabase(path);
  if (code.startsWith('SQLITE_CORRUPT')) return damaged(path);
  if (code === 'SQLITE_BUSY') {
    return new DatabaseError(`The database ${path} is locked by another program. Stop that program first.`, {
      cause: error,
    });
  }
  if (
    ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EISDIR', 'SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_FULL'].includes(code)
  ) {
    return new DatabaseError(
      `The database ${path} cannot be written (${code}). Check its owner, its mode and the room on its disk.`,
      {
        cause: error,
      },
    );
  }
  return error;
}
