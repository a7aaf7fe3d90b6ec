import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore, type Store } from './store.ts';

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

const domain = (name: string) =>
  ({ domain: name, ssl: 'self-signed', skipValidation: true, authentication: false, allowedEmails: null }) as const;
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
  expect(commits).toBe(2);
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
