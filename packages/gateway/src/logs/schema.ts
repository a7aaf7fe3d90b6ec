import { chmodSync, closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { isAscii } from 'node:buffer';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { RawLine } from './accessLine.ts';

/** Larger than the default: each checkpoint waits for the disk. */
const CHECKPOINT_PAGES = 8000;
const PAGE_BYTES = 4096;
const BUSY_TIMEOUT_MS = 5000;
const VERSION = 1;
/** What SQLite may leave next to a database. */
const COMPANIONS = ['-wal', '-shm'];

/**
 * A log is that of a service or of a domain: `http/5`. Its lines are numbered from 1, whatever becomes of them, and stored
 * in blocks: a row for each line would cost more than the line. Times are milliseconds since 1970; a search for a time
 * passes over the blocks of others.
 *
 * `files` says how far each of nginx's files was read: to `seen`, and all is stored that is in front of `position`. Of what is
 * between the two, the lines are not stored yet that are later than `held_from`.
 */
const SCHEMA = `
  create table logs (
    id integer primary key,
    name text not null unique,
    lines integer not null,
    bytes integer not null,
    skipped integer not null
  );
  create table blocks (
    id integer primary key,
    log integer not null,
    last integer not null,
    lines integer not null,
    from_time integer not null,
    to_time integer not null,
    content blob not null,
    unique (log, last)
  );
  create table files (
    serial integer primary key,
    inode integer not null,
    position integer not null,
    seen integer not null,
    before text not null
  );
  create table reading (owner integer not null, held_from integer not null);
  insert into reading values (0, ${Number.MAX_SAFE_INTEGER});
`;

/**
 * Opens the database of log lines to write to it; makes it when there is none, and has it filled by `fill` in the same
 * transaction.
 * @throws when it is damaged, or cannot be read or written
 */
export function openToWrite(path: string, fill: (database: Database) => void): Database {
  prepare(path);
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // The space of what was deleted can be given back.
    database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma(`journal_size_limit = ${CHECKPOINT_PAGES * PAGE_BYTES}`);
    database
      .transaction(() => {
        if (database.pragma('user_version', { simple: true }) === VERSION) return;
        database.exec(SCHEMA);
        fill(database);
        database.pragma(`user_version = ${VERSION}`);
      })
      .immediate();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the database of log lines to read from it. */
export function openToRead(path: string): Database {
  const database = new Sqlite(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  database.pragma('query_only = ON');
  return database;
}

/** Whether an error says that the file is damaged, rather than that it cannot be read or written at the moment. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB|ERROR|MISMATCH|FORMAT)/.test(error.code);

/** Puts a damaged database under another name, in the place of one that was put there before. */
export function setAside(path: string): string {
  const aside = `${path}.damaged`;
  for (const end of ['', ...COMPANIONS]) {
    rmSync(`${aside}${end}`, { recursive: true, force: true });
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
  }
  return aside;
}

/** Only the gateway's own account may enter; SQLite gives the files next to the database the same mode. */
function prepare(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  chmodSync(dirname(path), 0o700);
  closeSync(openSync(path, 'a', 0o600));
}

/** What is smaller is stored as it is: to begin a compression costs more than the lines. */
const COMPRESSED_FROM_BYTES = 4096;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** With this, nginx's lines begin; compressed ones never do. */
const LINE_BEGIN = 0x7b;

/** The lines of a block as they are stored: lines are much alike, and to compress them is cheaper than to write them. */
export function packLines(lines: readonly RawLine[]): Buffer {
  const plain = Buffer.from(lines.map(({ text }) => text).join('\n'), 'latin1');
  return plain.length < COMPRESSED_FROM_BYTES && plain[0] === LINE_BEGIN ? plain : zstdCompressSync(plain, OPTIONS);
}

/** @throws when it is damaged */
export function unpackLines(content: Buffer): string[] {
  const plain = content[0] === LINE_BEGIN ? content : zstdDecompressSync(content);
  // Bytes that are all ASCII are far cheaper to make a text of.
  return plain.toString(isAscii(plain) ? 'latin1' : 'utf8').split('\n');
}
