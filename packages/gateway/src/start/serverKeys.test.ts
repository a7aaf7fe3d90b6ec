import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore, type Store } from '../store/store.ts';
import { createMemoryVault } from '../vault/keyVault.ts';
import { ensureServerKeys } from './serverKeys.ts';

const KEY = /^[A-Za-z0-9+/]{43}=$/;

let store: Store;
beforeEach(() => {
  store = openStore(':memory:', () => new Date(0));
});
afterEach(() => store.close());

it('makes the gateway’s key pair once, its private half sealed', async () => {
  const vault = createMemoryVault();
  const keys = await ensureServerKeys(store, vault);
  expect(keys.publicKey).toMatch(KEY);
  expect(keys.sealedPrivateKey).toMatch(/^v1:/);
  expect(vault.open(keys.sealedPrivateKey).reveal()).toMatch(KEY);
  expect(await ensureServerKeys(store, vault)).toEqual(keys);
});

it('keeps a pair that another vault sealed', async () => {
  const keys = await ensureServerKeys(store, createMemoryVault());
  expect(await ensureServerKeys(store, createMemoryVault())).toEqual(keys);
});
