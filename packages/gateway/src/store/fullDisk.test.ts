import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DatabaseError, explainDatabaseError } from './open.ts';
import { openStore } from './store.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-full-'));
  file = join(directory, 'sallyport.db');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('is named as the reason also where SQLite has already taken everything back by itself', async () => {
  const store = openStore(file, () => new Date());
  // What SQLite does on a full disk: the statement fails, and the transaction is gone with it.
  const other = new Sqlite(file);
  other.exec(`create trigger full before insert on settings begin select raise(rollback, 'the disk is full'); end`);
  other.close();
  await expect(store.write((tx) => tx.settings.set('httpPort', '80'))).rejects.toThrow('the disk is full');
  await expect(store.write((tx) => tx.sessions.removeExpired())).resolves.toBeDefined();
  await store.close();
});

it('is said in a sentence', () => {
  const database = new Sqlite(file);
  database.exec('create table t (x)');
  database.pragma('max_page_count = 2');
  let thrown: unknown;
  try {
    database.prepare('insert into t values (zeroblob(100000))').run();
  } catch (error) {
    thrown = error;
  }
  database.close();
  const explained = explainDatabaseError(file, thrown);
  expect(explained).toBeInstanceOf(DatabaseError);
  const foreign = Object.assign(new Error('no room'), { code: 'ENOSPC' });
  expect(explainDatabaseError(file, foreign)).toBe(foreign);
  expect(String(explained)).toMatch(/cannot be written \(SQLITE_FULL\).*space on its disk/);
});
