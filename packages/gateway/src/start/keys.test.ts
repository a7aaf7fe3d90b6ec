import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore, type Store } from '../store/store.ts';
import { createMemoryVault } from '../vault/keyVault.ts';
import { Secret } from '../vault/secret.ts';
import { testNode } from '../testing/storedRows.ts';
import { ensureServerKeys, openKeys } from './keys.ts';

let store: Store;
let directory: string;
let usual: string;

beforeEach(() => {
  store = openStore(':memory:', () => new Date(0));
  directory = mkdtempSync(join(tmpdir(), 'sallyport-keys-'));
  usual = join(directory, 'vault.key');
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const open = (forget = false, keyFile: string | null = null) =>
  openKeys({ store, keyFile, usualKeyFile: usual, forget });
const set = (key: 'serverSealedPrivateKey' | 'sealedCheck', value: string) =>
  store.write((tx) => tx.settings.set(key, value));

it('keeps the key of the vault where the administrator wants it, and never makes a second one next to it', async () => {
  const elsewhere = join(directory, 'kept.key');
  const sealed = (await open()).vault.seal(new Secret('private'));
  await expect(open(false, elsewhere)).rejects.toThrow(
    `The key file ${elsewhere} is not there, but ${usual} is. Move it there, then start again.`,
  );
  renameSync(usual, elsewhere);
  expect((await open(false, elsewhere)).vault.open(sealed).reveal()).toBe('private');
  expect([existsSync(usual), statSync(elsewhere).mode & 0o777]).toEqual([false, 0o600]);
});

it('takes a key file for the right one whatever rows were damaged', async () => {
  const { vault, server } = await open();
  await set('serverSealedPrivateKey', 'v1:damaged');
  expect((await open()).server).toEqual({ publicKey: server.publicKey, sealedPrivateKey: 'v1:damaged' });
  await set('serverSealedPrivateKey', server.sealedPrivateKey);
  await set('sealedCheck', '');
  expect((await open()).vault.open(server.sealedPrivateKey).reveal()).toBe(
    vault.open(server.sealedPrivateKey).reveal(),
  );
});

it('replaces what cannot be opened, and nothing else, when the keys are to be forgotten', async () => {
  const { vault, server } = await open();
  const node = (id: number, sealedBy = vault) =>
    testNode(id, {
      sealedPrivateKey: sealedBy.seal(new Secret('a')),
      sealedPresharedKey: sealedBy.seal(new Secret('b')),
    });
  const [whole, lost] = [node(2), node(3, createMemoryVault())];
  const ids = await store.write(async (tx) => [(await tx.nodes.create(whole)).id, (await tx.nodes.create(lost)).id]);
  // Without the word for it, the other nodes work and this one says why it does not.
  expect((await open()).notice).toBeNull();
  const { rejoining, notice, formerPublicKey, ...after } = await open(true);
  const [one, two] = await Promise.all(ids.value.map((id) => store.nodes.get(id)));
  expect(one).toMatchObject({ publicKey: whole.publicKey, sealedPrivateKey: whole.sealedPrivateKey });
  expect([after.server, formerPublicKey]).toEqual([server, null]);
  expect(two?.publicKey).not.toBe(lost.publicKey);
  expect([...rejoining]).toEqual([two?.publicKey]);
  expect(notice).toContain('the host of "node 3" must join again');
});

it('names a damaged key file that nothing was sealed with', async () => {
  writeFileSync(usual, 'damaged');
  await expect(open()).rejects.toThrow(/is damaged\. Nothing was sealed with it yet: remove it/);
});

it('makes the gateway’s key pair once, its private half sealed, and keeps it also where another vault sealed it', async () => {
  const KEY = /^[A-Za-z0-9+/]{43}=$/;
  const vault = createMemoryVault();
  const keys = await ensureServerKeys(store, vault);
  expect(keys.publicKey).toMatch(KEY);
  expect(keys.sealedPrivateKey).toMatch(/^v1:/);
  expect(vault.open(keys.sealedPrivateKey).reveal()).toMatch(KEY);
  expect(await ensureServerKeys(store, vault)).toEqual(keys);
  expect(await ensureServerKeys(store, createMemoryVault())).toEqual(keys);
});

it.each<[string, () => void]>([
  ['is lost', () => rmSync(usual)],
  ['was replaced', () => writeFileSync(usual, `${randomBytes(32).toString('base64')}\n`)],
  ['is damaged', () => writeFileSync(usual, 'damaged')],
])('makes all keys again when the key file %s, once they are to be forgotten', async (_, lose) => {
  const { vault, server } = await open();
  const [sealedPrivateKey, sealedPresharedKey] = [vault.seal(new Secret('a')), vault.seal(new Secret('b'))];
  const node = testNode(2, { sealedPrivateKey, sealedPresharedKey });
  const {
    value: { id },
  } = await store.write((tx) => tx.nodes.create(node));
  lose();
  await expect(open()).rejects.toThrow(/Put the key file back.*SALLYPORT_FORGET_KEYS=1/);
  expect((await store.nodes.get(id))?.publicKey).toBe(node.publicKey);
  const after = await open(true);
  expect(after.formerPublicKey).toBe(server.publicKey);
  expect(after.server.publicKey).not.toBe(server.publicKey);
  const renewed = await store.nodes.get(id);
  expect(renewed?.publicKey).not.toBe(node.publicKey);
  expect([...after.rejoining]).toEqual([renewed?.publicKey]);
  expect(after.vault.open(renewed?.sealedPrivateKey ?? '').reveal()).not.toBe('');
  expect(after.notice).toContain('every host must join again');
  expect((await open(true)).notice).toContain('not needed');
});
