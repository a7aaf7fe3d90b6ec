import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate, migrations } from './migrations.ts';
import { openDatabase } from './open.ts';

/** The account that owns nothing. */
const NOBODY = 65_534;

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-open-'));
  file = join(directory, 'sallyport.db');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('knows its own file also when the first start was cut off right after the tables were made', () => {
  const cutOff = new Sqlite(file);
  migrate(cutOff);
  cutOff.close();
  expect(() => openDatabase(file).close()).not.toThrow();
});

it('refuses one that a newer gateway wrote, and one of another program', () => {
  openDatabase(file).close();
  const newer = new Sqlite(file);
  newer.pragma(`user_version = ${migrations.length + 1}`);
  newer.close();
  const before = readFileSync(file);
  expect(() => openDatabase(file)).toThrow(/was written by a newer version of Sallyport/);
  expect(readFileSync(file).equals(before)).toBe(true);

  const foreign = join(directory, 'foreign.db');
  const other = new Sqlite(foreign);
  other.exec('create table admin (id integer)');
  other.close();
  expect(() => openDatabase(foreign)).toThrow(/is not a database of Sallyport/);
});

it('says in a sentence that it cannot be written', () => {
  chmodSync(directory, 0o555);
  // Root may write anywhere, so for a moment it is nobody.
  const account = process.geteuid?.() ?? NOBODY;
  if (account === 0) process.seteuid?.(NOBODY);
  try {
    expect(() => openDatabase(file)).toThrow(/cannot be written \(EACCES\)/);
  } finally {
    if (account === 0) process.seteuid?.(account);
  }
});
