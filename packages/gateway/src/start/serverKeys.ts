import type { Store } from '../store/store.ts';
import { createNodeKeys, type KeyVault } from '../vault/keyVault.ts';

/** The gateway's own WireGuard key pair; the private half can be opened with the vault alone. */
export type ServerKeys = { publicKey: string; sealedPrivateKey: string };

/**
 * The gateway's own key pair, made at the first start and kept: every node's configuration names its public half. A
 * pair whose private half cannot be opened any more is never replaced, for all nodes would be cut off for good.
 */
export function ensureServerKeys(store: Pick<Store, 'write'>, vault: Pick<KeyVault, 'seal'>): Promise<ServerKeys> {
  return store
    .write(async ({ settings }) => {
      const publicKey = await settings.get('serverPublicKey');
      const sealedPrivateKey = await settings.get('serverSealedPrivateKey');
      if (publicKey !== null && sealedPrivateKey !== null) return { publicKey, sealedPrivateKey };
      const made = createNodeKeys();
      const sealed = vault.seal(made.privateKey);
      await settings.set('serverPublicKey', made.publicKey);
      await settings.set('serverSealedPrivateKey', sealed);
      return { publicKey: made.publicKey, sealedPrivateKey: sealed };
    })
    .then(({ value }) => value);
}
