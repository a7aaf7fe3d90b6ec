import { fstatSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDiskSync } from './commit.ts';
import { openDatabase } from './open.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-sync-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

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
