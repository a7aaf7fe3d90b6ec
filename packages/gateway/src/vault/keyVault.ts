import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
} from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { createFile } from '../machine/atomicFile.ts';
import { Secret } from './secret.ts';
import { errorCode } from '../machine/errorCode.ts';
import { StartError } from '../machine/startError.ts';

/** A WireGuard key pair; both are 32 bytes in base64, as `wg` writes them. */
export type NodeKeyPair = { publicKey: string; privateKey: Secret };

/** Seals texts for the database with a key that is only in a file of the data directory. */
export type KeyVault = {
  seal(text: Secret): string;
  /** @throws {SealError} when the text was damaged, or sealed with another key */
  open(sealed: string): Secret;
};

/** A sealed text cannot be opened. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const VERSION = 'v1:';

/** Makes a key pair for a node, or for the gateway itself. */
export function createNodeKeys(): NodeKeyPair {
  const { privateKey } = generateKeyPairSync('x25519');
  const { x, d } = privateKey.export({ format: 'jwk' });
  if (x === undefined || d === undefined) throw new Error('The key pair has no raw form.');
  return { publicKey: toBase64(x), privateKey: new Secret(toBase64(d)) };
}

/** What stands before the 32 bytes of a private key in its usual form (RFC 8410). */
const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The public half of a WireGuard key. @throws when it is none */
export function publicKeyOf(privateKey: Secret): string {
  const der = Buffer.concat([PRIVATE_KEY_PREFIX, Buffer.from(privateKey.reveal(), 'base64')]);
  const { x } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({ format: 'jwk' });
  if (x === undefined) throw new Error('The key has no public half.');
  return toBase64(x);
}

/** Makes a key that a node and the gateway share next to their pairs. */
export function createPresharedKey(): Secret {
  return new Secret(randomBytes(KEY_BYTES).toString('base64'));
}

/** What is at the place of the key file. */
export type KeyFile = { state: 'missing' | 'damaged' } | { state: 'usable'; vault: KeyVault };

/**
 * Looks at the key file, and makes nothing.
 * @throws {StartError} when it cannot be read
 */
export async function readKeyFile(keyFile: string): Promise<KeyFile> {
  return usable(keyFile, async () => {
    const text = await readFile(keyFile, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return { state: 'missing' };
    const key = Buffer.from(text, 'base64');
    if (key.length !== KEY_BYTES) return { state: 'damaged' };
    // One that an administrator put there, or a backup brought back, may be readable by others.
    await chmod(keyFile, 0o600);
    return { state: 'usable', vault: vaultWith(key, keyFile) };
  });
}

/**
 * Opens the vault; a key file that is missing is made, and is its owner's alone. A damaged one is never overwritten:
 * everything that was sealed with it would be lost.
 * @throws {StartError} when the key file cannot be used
 */
export async function createKeyVault(keyFile: string): Promise<KeyVault> {
  const before = await readKeyFile(keyFile);
  if (before.state === 'missing') {
    await usable(keyFile, () => createFile(keyFile, `${randomBytes(KEY_BYTES).toString('base64')}\n`));
  }
  // A second process reads what the first one wrote.
  const found = before.state === 'missing' ? await readKeyFile(keyFile) : before;
  if (found.state === 'usable') return found.vault;
  throw new StartError(
    `The key file ${keyFile} is damaged. Restore it from a backup; without it the stored private keys are lost.`,
  );
}

/** A vault whose key is gone with the process. */
export function createMemoryVault(): KeyVault {
  return vaultWith(randomBytes(KEY_BYTES), 'the key in memory');
}

function vaultWith(key: Buffer, keyName: string): KeyVault {
  return {
    seal: (text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      const sealed = Buffer.concat([cipher.update(text.reveal(), 'utf8'), cipher.final()]);
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64');
      try {
        if (!sealed.startsWith(VERSION)) throw new Error('The version is unknown.');
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
        return new Secret(text.toString('utf8'));
      } catch (cause) {
        throw new SealError(
          `A stored key cannot be opened: it is damaged, or ${keyName} is not the one it was sealed with. Restore both from the same backup.`,
          { cause },
        );
      }
    },
  };
}

async function usable<T>(keyFile: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(
      `The key file ${keyFile} cannot be used (${reason}). Repair its directory, then start again.`,
      {
        cause,
      },
    );
  }
}

function toBase64(base64url: string): string {
  return Buffer.from(base64url, 'base64url').toString('base64');
}
