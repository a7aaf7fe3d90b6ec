import { fstatSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { domainDefaults } from '@sallyport/sdk/contract';
import { createDiskSync, createGroupCommit } from './commit.ts';
import { kyselyDatabase } from './sqlite.ts';
import { openDatabase } from './open.ts';
import { openStore, type Store } from './store.ts';
import type { Database } from './rows.ts';

let directory: string;
let store: Store;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-group-'));
  store = openStore(join(directory, 'sallyport.db'), () => new Date());
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const domain = (name: string) => ({ ...domainDefaults, cameWithService: false, domain: name });
const create = (name: string) => store.write((tx) => tx.domains.create(domain(name)));
const names = async (): Promise<string[]> => (await store.domains.all()).map((row) => row.domain);

/** How many transactions reached the disk; each moves the write-ahead log's end on. */
const commitsOf = async (action: () => Promise<unknown>): Promise<number> => {
  const reader = new Sqlite(join(directory, 'sallyport.db'), { readonly: true });
  const commits = new Set<unknown>();
  const look = (): void => void commits.add(reader.pragma('data_version', { simple: true }));
  look();
  const stop = store.onChange(look);
  await action();
  stop();
  reader.close();
  return commits.size - 1;
};

it('writes all who come at the same time together, and gives each their own answer', async () => {
  let rows: { value: { domain: string }; changes: readonly unknown[] }[] = [];
  const wanted = Array.from({ length: 20 }, (_, index) => `d${index}.test`);
  const commits = await commitsOf(async () => (rows = await Promise.all(wanted.map(create))));
  expect(rows.map(({ value }) => value.domain)).toEqual(wanted);
  expect(rows.every(({ changes }) => changes.length === 1)).toBe(true);
  expect(await names()).toEqual(wanted);
  // The first is on its way when the others come.
  expect(commits).toBeLessThanOrEqual(2);
});

it('undoes the work that fails, and nothing of the others', async () => {
  const failing = store.write(async (tx) => {
    await tx.domains.create(domain('half.test'));
    throw new Error('changed my mind');
  });
  const results = await Promise.allSettled([
    create('a.test'),
    create('b.test'),
    failing,
    create('a.test'),
    create('c.test'),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(results[2]).toMatchObject({ reason: { message: 'changed my mind' } });
  expect(results[3]).toMatchObject({ reason: { columns: ['domain'] } });
  expect(await names()).toEqual(['a.test', 'b.test', 'c.test']);
});

it('answers only when the disk has what was written, and writes on meanwhile', async () => {
  const database = openDatabase(join(directory, 'waiting.db'));
  const sql = new Kysely<Database>({
    dialect: new SqliteDialect({ database: kyselyDatabase(database, () => undefined) }),
  });
  const disk = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  const commit = createGroupCommit(
    sql,
    () => undefined,
    () => disk[asked++]?.promise ?? Promise.resolve(),
  );
  const answers: string[] = [];
  const save = (key: 'httpPort' | 'httpsPort') =>
    commit((tx) => tx.insertInto('settings').values({ key, value: '1' }).execute()).then(
      () => answers.push(key),
      (error: Error) => answers.push(`${key}: ${error.message}`),
    );
  const first = save('httpPort');
  await vi.waitFor(() => expect(asked).toBe(1));
  const second = save('httpsPort');
  await vi.waitFor(() => expect(asked).toBe(2));
  expect(answers).toEqual([]);
  disk[1]?.resolve();
  await second;
  disk[0]?.reject(new Error('the disk is gone'));
  await first;
  expect(answers).toEqual(['httpsPort', 'httpPort: the disk is gone']);
  await sql.destroy();
});

it('refuses all of a group when what they wrote is lost', async () => {
  const first = create('first.test');
  const lost = store.write(async (tx) => {
    await tx.domains.create(domain('lost.test'));
    rmSync(join(directory, 'sallyport.db'));
  });
  const results = await Promise.allSettled([first, create('second.test'), lost, create('third.test')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
  expect(results[3]).toMatchObject({ reason: { message: expect.stringContaining('was deleted or replaced') } });
});

it('writes the write-ahead log through, one wait for all who come while another is under way', async () => {
  const database = openDatabase(join(directory, 'sallyport.db'));
  const turns: PromiseWithResolvers<void>[] = [];
  const inodes: number[] = [];
  const disk = createDiskSync(database, (descriptor) => {
    inodes.push(fstatSync(descriptor).ino);
    const turn = Promise.withResolvers<void>();
    turns.push(turn);
    return turn.promise;
  });
  const answered: string[] = [];
  const ask = (name: string) => disk.sync().then(() => answered.push(name));
  const all = [ask('a'), ask('b'), ask('c')];
  expect(turns).toHaveLength(1);
  turns[0]?.resolve();
  await all[0];
  // What b and c wrote may have come after the first one began.
  expect(answered).toEqual(['a']);
  expect(turns).toHaveLength(2);
  turns[1]?.resolve();
  await Promise.all(all);
  expect(answered).toEqual(['a', 'b', 'c']);
  const { ino } = statSync(join(directory, 'sallyport.db-wal'));
  expect(inodes).toEqual([ino, ino]);
  disk.close();
  database.close();
});

it('says so when the disk does not take it, and tries again for the next', async () => {
  const database = openDatabase(join(directory, 'sallyport.db'));
  let healthy = false;
  const disk = createDiskSync(database, () => (healthy ? Promise.resolve() : Promise.reject(new Error('EIO'))));
  const results = await Promise.allSettled([disk.sync(), disk.sync()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  healthy = true;
  await expect(disk.sync()).resolves.toBeUndefined();
  disk.close();
  database.close();
});
