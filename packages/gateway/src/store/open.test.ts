import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domain, httpService, node, tcpService, token } from '@sallyport/sdk/contract';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aDomain, aNode, fill } from '../testing/storedRows.ts';
import { migrate, migrations } from './migrations.ts';
import {
  checkDatabase,
  copyDatabase,
  DatabaseError,
  explainDatabaseError,
  explainWriteError,
  openDatabase,
  UnwritableError,
} from './open.ts';
import { openStore, type Store } from './store.ts';

/** The account that owns nothing. */
const NOBODY = 65_534;

let directory: string;
let file: string;
let stores: Store[];

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'sallyport-open-')), 'data');
  mkdirSync(directory);
  file = join(directory, 'sallyport.db');
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

const open = (path = file, makeRoom?: (mayUseReserve: boolean) => boolean): Store => {
  const store = openStore(path, () => new Date('2026-11-21T12:00:00.000Z'), makeRoom && { makeRoom });
  stores.push(store);
  return store;
};
const save = (store: Store) => store.write((tx) => tx.settings.set('httpPort', '80'));

describe('the database file', () => {
  it('keeps its references, and is for its owner alone', () => {
    const database = openDatabase(file);
    const pragma = (name: string) => database.pragma(name, { simple: true });
    // The store itself waits for the disk, without stopping for it.
    expect([pragma('synchronous'), pragma('journal_mode')]).toEqual([1, 'wal']);
    expect([pragma('foreign_keys'), pragma('busy_timeout')]).toEqual([1, 5000]);
    database.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is for its owner alone also when it was copied back for all to read', () => {
    openDatabase(file).close();
    chmodSync(file, 0o644);
    openDatabase(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('gives what was written to the next gateway, also when the first was never closed', async () => {
    const { value } = await fill(open());
    const next = open();
    expect(await next.nodes.get(value.owner.id)).toEqual(value.owner);
    expect(await next.httpServices.all()).toEqual([value.service]);
  });

  it('is one file again once it was closed', async () => {
    const store = open();
    await fill(store);
    await store.close();
    expect(() => statSync(`${file}-wal`)).toThrow('ENOENT');
  });

  it.each([
    ['is damaged', () => Buffer.concat([readFileSync(file).subarray(0, 5000), Buffer.alloc(60_000, 7)])],
    ['is not a database', () => Buffer.from('#!/bin/sh\necho hello\n')],
    ['is cut off', () => readFileSync(file).subarray(0, 9000)],
  ])('is refused when it %s, in a sentence, and left as it is', async (_, content) => {
    const store = open();
    await fill(store);
    await store.close();
    writeFileSync(file, content());
    const before = readFileSync(file);
    expect(() => openDatabase(file)).toThrow(/left as it is: .*SALLYPORT_DATA/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('keeps everything when a step is added, and nothing of a step that fails', async () => {
    const store = open();
    const { value } = await fill(store);
    await store.close();
    const more = { name: 'notes', sql: "alter table http_services add column note text not null default '-';" };
    const broken = { name: 'broken', sql: 'create table extra (id integer); select 1 from nowhere;' };
    expect(() => openDatabase(file, { steps: [...migrations, more, broken] })).toThrow('no such table: nowhere');
    const untouched = openDatabase(file);
    expect(untouched.pragma('user_version', { simple: true })).toBe(migrations.length);
    untouched.close();

    const database = openDatabase(file, { steps: [...migrations, more] });
    expect(database.prepare('select id, note from http_services').all()).toEqual([{ id: value.service.id, note: '-' }]);
    expect(database.prepare('select count(*) from nodes').pluck().get()).toBe(1);
    database.close();
  });

  it('has a column for every field of the contract that is stored', () => {
    const database = openDatabase(':memory:');
    const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const computed =
      'publicAccess health healthReason problem pending certificateEndsAt dnsState dnsCheckedAt status clientIp latestHandshakeTimestamp transferRx transferTx gatewayNetwork'.split(
        ' ',
      );
    const entities = { nodes: node, domains: domain, http_services: httpService, tcp_services: tcpService };
    const missing = Object.entries({ ...entities, node_tokens: token }).flatMap(([table, entity]) => {
      const columns = database.prepare('select name from pragma_table_info(?)').pluck().all(table);
      return Object.keys(entity.shape)
        .filter((key) => !columns.includes(snakeCase(key)) && !computed.includes(key))
        .map((key) => `${table}.${key}`);
    });
    database.close();
    // An HTTP service is always reached over TLS.
    expect(missing).toEqual(['http_services.ssl']);
  });

  it('is known also when the first start was cut off right after the tables were made', () => {
    const cutOff = new Sqlite(file);
    migrate(cutOff);
    cutOff.close();
    expect(() => openDatabase(file).close()).not.toThrow();
  });

  it('is refused when a newer gateway wrote it, or another program', () => {
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

  it('is said to be one that cannot be written', () => {
    chmodSync(join(directory, '..'), 0o755);
    chmodSync(directory, 0o555);
    // Root may write anywhere, so for a moment it is another account.
    const account = process.geteuid?.() ?? NOBODY;
    if (account === 0) process.seteuid?.(NOBODY);
    try {
      expect(() => openDatabase(file)).toThrow(/cannot be written \(EACCES\)/);
    } finally {
      if (account === 0) process.seteuid?.(account);
    }
  });
});

describe('a write', () => {
  it.each([
    ['the whole directory', () => rmSync(directory, { recursive: true })],
    ['the database', () => rmSync(file)],
    ['its newest changes', () => rmSync(`${file}-wal`)],
  ])('is refused when %s was deleted under the gateway', async (_, remove) => {
    const store = open();
    await save(store);
    remove();
    const refused = await save(store).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnwritableError);
    expect(String(refused)).toMatch(/was deleted or replaced.*nothing can be saved.*start the gateway again/);
  });

  it('that was under way when the database went is refused', async () => {
    const written = open().write(async (tx) => {
      await tx.settings.set('httpPort', '80');
      rmSync(directory, { recursive: true });
    });
    await expect(written).rejects.toThrow(UnwritableError);
  });

  it('is refused when another database took the place, and taken again when ours is back', async () => {
    const store = open();
    renameSync(directory, `${directory}.old`);
    mkdirSync(directory);
    await open().close();
    await expect(save(store)).rejects.toThrow(UnwritableError);
    rmSync(directory, { recursive: true });
    renameSync(`${directory}.old`, directory);
    await expect(save(store)).resolves.toBeDefined();
  });
});

describe('a full disk', () => {
  it('is named as the reason also where SQLite has already taken everything back by itself', async () => {
    const store = open();
    // What SQLite does on a full disk: the statement fails, and the transaction is gone with it.
    const other = new Sqlite(file);
    other.exec(`create trigger full before insert on settings begin select raise(rollback, 'the disk is full'); end`);
    other.close();
    await expect(save(store)).rejects.toThrow('the disk is full');
    await expect(store.write((tx) => tx.sessions.removeExpired())).resolves.toBeDefined();
  });

  it('is said in a sentence, and any other error is left alone', () => {
    const error = (code: string) => new Sqlite.SqliteError('words of the library', code);
    expect(String(explainWriteError(error('SQLITE_FULL')))).toMatch(/is full, so nothing was saved. Free some space/);
    for (const code of ['SQLITE_IOERR_WRITE', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']) {
      expect(String(explainWriteError(error(code)))).toMatch(/cannot be written, so nothing was saved/);
    }
    const busy = error('SQLITE_BUSY');
    expect(explainWriteError(busy)).toBe(busy);

    const explained = explainDatabaseError(file, error('SQLITE_FULL'));
    expect(explained).toBeInstanceOf(DatabaseError);
    expect(String(explained)).toMatch(/cannot be written \(SQLITE_FULL\).*space on its disk/);
    const foreign = Object.assign(new Error('no room'), { code: 'ENOSPC' });
    expect(explainDatabaseError(file, foreign)).toBe(foreign);
  });

  it('has room for a sign-out, which must outlive the gateway, and for deleting a node that a domain names', async () => {
    let hasRoom = false;
    const store = open(file, (mayUseReserve) => (hasRoom = mayUseReserve));
    const onFullDisk = (): void => {
      if (!hasRoom) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    const session = { tokenHash: 'hash', expiresAt: '2999-01-01T00:00:00.000Z' };
    const { value: id } = await store.write(async (tx) => {
      await tx.sessions.create(session);
      const edge = await tx.nodes.create(aNode);
      await tx.domains.create({ ...aDomain, allowedEmails: null, allowedNodes: [edge.id] });
      return edge.id;
    });
    const other = { ...session, tokenHash: 'other' };
    await expect(store.write((tx) => tx.sessions.create(other).then(onFullDisk))).rejects.toThrow(UnwritableError);
    expect(hasRoom).toBe(false);
    await store.write((tx) => tx.nodes.remove(id).then(onFullDisk));
    expect(await store.nodes.get(id)).toBeNull();
    expect(await store.domains.all()).toMatchObject([{ allowedNodes: null }]);
    hasRoom = false;
    await store.write((tx) => tx.sessions.end('hash', 'signed-out').then(onFullDisk));
    await store.close();
    expect(await open().sessions.find('hash')).toMatchObject({ ended: 'signed-out' });
  });
});

it.each([5000, 1_000_000])('is said to be damaged from its byte %i on', (from) => {
  const database = new Sqlite(file);
  database.exec('create table lines (bytes); insert into lines values (randomblob(1500000))');
  database.close();
  expect(() => checkDatabase(file)).not.toThrow();
  writeFileSync(file, readFileSync(file).fill(7, from, from + 60_000));
  expect(() => checkDatabase(file)).toThrow(/is damaged. It was left as it is: restore a backup/);
});

it('is copied as of one moment, and it is said how far that is, while others write', async () => {
  const database = new Sqlite(file);
  database.exec('pragma journal_mode = wal; create table lines (bytes)');
  const add = database.prepare('insert into lines values (randomblob(1000000))');
  for (let mb = 0; mb < 20; mb += 1) add.run();
  const said: number[] = [];
  const copy = join(directory, 'copy.db');
  await copyDatabase(file, copy, (bytes, all) => {
    said.push(bytes / all);
    add.run();
  });
  database.close();
  expect(said.length).toBeGreaterThan(3);
  expect(said).toEqual([...new Set(said)].toSorted((a, b) => a - b));
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
  const copied = new Sqlite(copy);
  expect(copied.prepare('select count(*) from lines').pluck().get()).toBe(20);
  expect(copied.pragma('quick_check', { simple: true })).toBe('ok');
  copied.close();
});
