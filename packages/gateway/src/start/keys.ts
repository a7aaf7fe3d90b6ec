import { existsSync, renameSync } from 'node:fs';
import { isWireguardKey } from '../tunnel/render/wireguardServer.ts';
import type { NodeRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { unlessUnwritable } from '../store/open.ts';
import { createKeyVault, createNodeKeys, createPresharedKey, type KeyVault, readKeyFile } from '../vault/keyVault.ts';
import { Secret } from '../vault/secret.ts';
import { StartError } from '../machine/startError.ts';
import type { SealedNodeKeys } from '../world.ts';

/** The keys that the gateway works with. */
export type Keys = {
  vault: KeyVault;
  server: ServerKeys;
  /** The gateway's public key before its keys were replaced; null: they never were. */
  formerPublicKey: string | null;
  /** The public keys of nodes whose hosts have to join again. */
  rejoining: ReadonlySet<string>;
  /** What a Wiredoor server signed access tokens with that are still to be known by their hashes; null: there are none. */
  wiredoorTokenKey: Secret | null;
  /** What the administrator is told about `SALLYPORT_FORGET_KEYS`; null: nothing. */
  notice: string | null;
};

type KeysOptions = {
  store: Pick<Store, 'nodes' | 'settings' | 'write'>;
  /** Where the administrator wants the key file; null: at its usual place. */
  keyFile: string | null;
  usualKeyFile: string;
  /** Go on without the key file that is lost. */
  forget: boolean;
};

const CHECK = new Secret('sallyport');

/**
 * Opens the key file and what was sealed with it. Where something was sealed, a key file is never made: a new one would
 * open none of it, and the nodes of the database could neither be joined nor be told apart from the ones of then.
 * @throws {StartError} when the key file does not fit what was sealed, with the two ways on
 */
export async function openKeys({ store, keyFile, usualKeyFile, forget }: KeysOptions): Promise<Keys> {
  const place = placeOfKey(keyFile, usualKeyFile);
  const sealed = await sealedTexts(store);
  const found = await readKeyFile(place);
  const opens = (vault: KeyVault): boolean => sealed.length === 0 || sealed.some((text) => canOpen(vault, text));
  const fits = found.state === 'usable' ? opens(found.vault) : found.state === 'missing' && sealed.length === 0;
  if (!fits && !forget) throw refusal(place, found.state, sealed.length > 0);
  if (found.state === 'damaged') renameSync(place, `${place}.damaged-${Date.now()}`);
  const vault = found.state === 'usable' ? found.vault : await createKeyVault(place);
  const renewed = forget ? await renewLost(store, vault) : null;
  const server = await ensureServerKeys(store, vault);
  await keepCheck(store, vault);
  return {
    vault,
    server,
    formerPublicKey: await store.settings.get('formerServerPublicKey'),
    wiredoorTokenKey: await wiredoorTokenKey(store, vault),
    rejoining: new Set(rejoiningKeys(await store.settings.get('rejoiningKeys'))),
    notice: renewed === null ? null : noticeOf(renewed),
  };
}

/** Another key than the one that everything was sealed with would open none of it. */
function placeOfKey(wanted: string | null, usual: string): string {
  if (wanted === null || wanted === usual || existsSync(wanted) || !existsSync(usual)) return wanted ?? usual;
  throw new StartError(`The key file ${wanted} is not there, but ${usual} is. Move it there, then start again.`);
}

/** Everything that the key file has to open, as it is stored; a row that was damaged by hand may hold anything. */
async function sealedTexts({ settings, nodes }: Pick<Store, 'nodes' | 'settings'>): Promise<unknown[]> {
  const rows = await nodes.all();
  const all = [
    await settings.get('sealedCheck'),
    await settings.get('serverSealedPrivateKey'),
    ...rows.flatMap(({ sealedPrivateKey, sealedPresharedKey }) => [sealedPrivateKey, sealedPresharedKey]),
  ];
  return all.filter((text) => text !== null);
}

function canOpen(vault: KeyVault, sealed: unknown): boolean {
  try {
    return typeof sealed === 'string' && vault.open(sealed).reveal() !== '';
  } catch {
    return false;
  }
}

const STATES = {
  missing: 'is missing',
  damaged: 'is damaged',
  usable: 'is not the one that the stored keys were sealed with',
};

function refusal(file: string, state: keyof typeof STATES, isNeeded: boolean): StartError {
  const said = `The key file ${file} ${STATES[state]}`;
  if (!isNeeded) return new StartError(`${said}. Nothing was sealed with it yet: remove it, then start again.`);
  return new StartError(
    `${said}, so the private keys in the database cannot be opened. Nothing was changed, and what nginx and the tunnel serve goes on. Put the key file back, for example from a backup, and start again; or start once with SALLYPORT_FORGET_KEYS=1, which makes new keys, after which every host has to join again.`,
  );
}

/** One that cannot be opened any more is of no use: those tokens are refused. */
async function wiredoorTokenKey({ settings }: Pick<Store, 'settings'>, vault: KeyVault): Promise<Secret | null> {
  const sealed = await settings.get('wiredoorTokenKey');
  return sealed !== null && canOpen(vault, sealed) ? vault.open(sealed) : null;
}

type Renewed = { isServer: boolean; nodes: string[] };

/** Makes new keys in the place of those that cannot be opened. Everything else of a node stays, its tokens included. */
async function renewLost(store: Pick<Store, 'write'>, vault: KeyVault): Promise<Renewed> {
  const { value } = await store.write(async (tx) => {
    const isServer = await renewServer(tx, vault);
    const renewed: NodeRow[] = [];
    const before = await tx.nodes.all({ isLocal: false });
    for (const row of before) {
      const isWhole =
        isWireguardKey(row.publicKey) && canOpen(vault, row.sealedPrivateKey) && canOpen(vault, row.sealedPresharedKey);
      if (!isWhole) renewed.push(await tx.nodes.update(row.id, newNodeKeys(vault)));
    }
    const rejoining = isServer ? await tx.nodes.all({ isLocal: false }) : renewed;
    if (rejoining.length > 0) {
      const earlier = rejoiningKeys(await tx.settings.get('rejoiningKeys'));
      const keys = new Set([...earlier, ...rejoining.flatMap(({ publicKey }) => publicKey ?? [])]);
      await tx.settings.set('rejoiningKeys', JSON.stringify([...keys]));
    }
    return { isServer, nodes: rejoining.map(({ name }) => name) };
  });
  return value;
}

async function renewServer(tx: Transaction, vault: KeyVault): Promise<boolean> {
  const publicKey = await tx.settings.get('serverPublicKey');
  const sealed = await tx.settings.get('serverSealedPrivateKey');
  if (publicKey === null || sealed === null || canOpen(vault, sealed)) return false;
  await tx.settings.set('formerServerPublicKey', publicKey);
  await makeServerKeys(tx, vault);
  return true;
}

/** Keys of a node, the private ones sealed. */
export function newNodeKeys(vault: Pick<KeyVault, 'seal'>): SealedNodeKeys {
  const { publicKey, privateKey } = createNodeKeys();
  return {
    publicKey,
    sealedPrivateKey: vault.seal(privateKey),
    sealedPresharedKey: vault.seal(createPresharedKey()),
  };
}

function rejoiningKeys(text: string | null): string[] {
  try {
    const keys: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}

/** Keeps a text that tells the right key file from another one also where each row was damaged. */
async function keepCheck(store: Pick<Store, 'settings' | 'write'>, vault: KeyVault): Promise<void> {
  if (canOpen(vault, await store.settings.get('sealedCheck'))) return;
  // The rows tell as well.
  await unlessUnwritable(store.write((tx) => tx.settings.set('sealedCheck', vault.seal(CHECK))));
}

function noticeOf({ isServer, nodes }: Renewed): string {
  if (!isServer && nodes.length === 0) return 'The key file fits, so SALLYPORT_FORGET_KEYS=1 is not needed: remove it.';
  const who = isServer ? 'every host' : `the host of ${nodes.map((name) => JSON.stringify(name)).join(', ')}`;
  return `New ones were made in the place of those that could not be opened: ${who} must join again, by "sudo sallyport connect" there or with its new configuration. Remove SALLYPORT_FORGET_KEYS=1.`;
}

/** The gateway's own WireGuard key pair; the private half can be opened with the vault alone. */
export type ServerKeys = { publicKey: string; sealedPrivateKey: string };

/**
 * The gateway's own key pair, made at the first start and kept: every node's configuration names its public half. A
 * pair whose private half cannot be opened any more is never replaced, for all nodes would be cut off for good.
 */
export async function ensureServerKeys(
  store: Pick<Store, 'write'>,
  vault: Pick<KeyVault, 'seal'>,
): Promise<ServerKeys> {
  const { value } = await store.write(async (tx) => {
    const publicKey = await tx.settings.get('serverPublicKey');
    const sealedPrivateKey = await tx.settings.get('serverSealedPrivateKey');
    if (publicKey !== null && sealedPrivateKey !== null) return { publicKey, sealedPrivateKey };
    return makeServerKeys(tx, vault);
  });
  return value;
}

async function makeServerKeys({ settings }: Transaction, vault: Pick<KeyVault, 'seal'>): Promise<ServerKeys> {
  const { publicKey, privateKey } = createNodeKeys();
  const sealedPrivateKey = vault.seal(privateKey);
  await settings.set('serverPublicKey', publicKey);
  await settings.set('serverSealedPrivateKey', sealedPrivateKey);
  return { publicKey, sealedPrivateKey };
}
