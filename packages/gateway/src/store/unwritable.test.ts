import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainAttributes, withDefaults, nodeDefaults } from '@sallyport/sdk/contract';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore, type Store } from './store.ts';
import { explainWriteError, UnwritableError } from './open.ts';

let directory: string;
let store: Store;

const save = () => store.write((tx) => tx.settings.set('httpPort', '80'));

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'sallyport-gone-')), 'data');
  mkdirSync(directory);
  store = openStore(join(directory, 'sallyport.db'), () => new Date());
});
afterEach(async () => {
  await store.close();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

it.each([
  ['the whole directory', () => rmSync(directory, { recursive: true })],
  ['the database', () => rmSync(join(directory, 'sallyport.db'))],
  ['its newest changes', () => rmSync(join(directory, 'sallyport.db-wal'))],
])('a write is refused when %s was deleted under the gateway', async (_, remove) => {
  await save();
  remove();
  const refused = await save().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UnwritableError);
  expect(String(refused)).toMatch(/was deleted or replaced.*nothing can be saved.*start the gateway again/);
});

it('a write that was under way when the database went is refused', async () => {
  const written = store.write(async (tx) => {
    await tx.settings.set('httpPort', '80');
    rmSync(directory, { recursive: true });
  });
  await expect(written).rejects.toThrow(UnwritableError);
});

it('a write is refused when another database took the place, and taken again when ours is back', async () => {
  renameSync(directory, `${directory}.old`);
  mkdirSync(directory);
  await openStore(join(directory, 'sallyport.db'), () => new Date()).close();
  await expect(save()).rejects.toThrow(UnwritableError);
  rmSync(directory, { recursive: true });
  renameSync(`${directory}.old`, directory);
  await expect(save()).resolves.toBeDefined();
});

it('says what the disk is like, and leaves any other error alone', () => {
  const error = (code: string) => new Sqlite.SqliteError('words of the library', code);
  expect(String(explainWriteError(error('SQLITE_FULL')))).toMatch(/is full, so nothing was saved. Free some space/);
  for (const code of ['SQLITE_IOERR_WRITE', 'SQLITE_READONLY', 'SQLITE_CANTOPEN']) {
    expect(String(explainWriteError(error(code)))).toMatch(/cannot be written, so nothing was saved/);
  }
  const busy = error('SQLITE_BUSY');
  expect(explainWriteError(busy)).toBe(busy);
});

it('room is made for a sign-out, which must outlive the gateway, and not for a sign-in', async () => {
  let hasRoom = false;
  const full = openStore(join(directory, 'full.db'), () => new Date(), { makeRoom: () => (hasRoom = true) });
  const session = { tokenHash: 'hash', expiresAt: '2999-01-01T00:00:00.000Z' };
  await full.write((tx) => tx.sessions.create(session));
  const onFullDisk = (): void => {
    if (!hasRoom) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  const other = { ...session, tokenHash: 'other' };
  await expect(full.write((tx) => tx.sessions.create(other).then(onFullDisk))).rejects.toThrow(UnwritableError);
  expect(hasRoom).toBe(false);
  await full.write((tx) => tx.sessions.end('hash', 'signed-out').then(onFullDisk));
  await full.close();
  const again = openStore(join(directory, 'full.db'), () => new Date());
  expect(await again.sessions.find('hash')).toMatchObject({ ended: 'signed-out' });
  await again.close();
});

it('room is made for what deletes a node, also one that a domain names', async () => {
  let hasRoom = false;
  const makeRoom = () => (hasRoom = true);
  const full = openStore(join(directory, 'full.db'), () => new Date(), { makeRoom });
  const { value: id } = await full.write(async (tx) => {
    const node = await tx.nodes.create({
      ...nodeDefaults,
      name: 'edge',
      address: '10.88.0.2',
      isLocal: false,
      enabled: true,
      publicKey: null,
      sealedPrivateKey: null,
      sealedPresharedKey: null,
    });
    const form = { domain: 'app.example.test', allowedNodes: [node.id] };
    await tx.domains.create(withDefaults(domainAttributes, form));
    return node.id;
  });
  const onFullDisk = (): void => {
    if (!hasRoom) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  await expect(full.write(async (tx) => tx.settings.set('httpPort', '80').then(onFullDisk))).rejects.toThrow(
    UnwritableError,
  );
  expect(hasRoom).toBe(false);
  await full.write(async (tx) => tx.nodes.remove(id).then(onFullDisk));
  expect(await full.nodes.get(id)).toBeNull();
  expect(await full.domains.all()).toMatchObject([{ allowedNodes: null }]);
  await full.close();
});
