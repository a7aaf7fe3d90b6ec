import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore, type Store } from './store.ts';

const SESSION = { tokenHash: 'hash', keyThumbprint: null, expiresAt: '2999-01-01T00:00:00.000Z' };

let directory: string;
let store: Store;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-unsaved-'));
  store = openStore(join(directory, 'sallyport.db'), () => new Date('2026-11-21T12:00:00.000Z'));
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const saved = (): unknown[] => {
  const database = new Sqlite(join(directory, 'sallyport.db'), { readonly: true });
  try {
    return database.prepare('select token_hash, ended from sessions').all();
  } finally {
    database.close();
  }
};
const write = () => store.write((tx) => tx.settings.set('httpPort', '80'));

it('counts at once, and is saved with the next write that succeeds', async () => {
  store.unsavedSessions.create(SESSION);
  expect(await store.sessions.find('hash')).toMatchObject({ ...SESSION, ended: null });
  expect(saved()).toEqual([]);
  await write();
  await expect.poll(saved).toEqual([{ token_hash: 'hash', ended: null }]);
});

it('ends with a sign-out that is saved, and is not saved as one that goes on', async () => {
  store.unsavedSessions.create(SESSION);
  await store.write((tx) => tx.sessions.end('hash', 'signed-out'));
  expect(await store.sessions.find('hash')).toBeNull();
  await write();
  await write();
  expect(saved()).toEqual([]);
});

it('ends what was saved as well, tells who listens, and saves that', async () => {
  await store.write((tx) => tx.sessions.create(SESSION));
  const ended: string[] = [];
  store.onSessionEnd((hash) => ended.push(hash));
  await store.unsavedSessions.end('hash', 'signed-out');
  expect([ended, (await store.sessions.find('hash'))?.ended]).toEqual([['hash'], 'signed-out']);
  await write();
  await expect.poll(saved).toEqual([{ token_hash: 'hash', ended: 'signed-out' }]);
});
