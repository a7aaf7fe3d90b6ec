import { StartError } from '../machine/startError.ts';
import { Secret } from '../vault/secret.ts';
import type { Key, Lock } from './archive.ts';
import { linesOf, readPassphrase } from './passphrase.ts';

/** @throws {StartError} when there is none, or two */
export async function lockOf({
  recipient,
  passphraseFile,
}: {
  recipient?: string;
  passphraseFile?: string;
}): Promise<Lock> {
  if (recipient !== undefined && passphraseFile !== undefined) throw both('--recipient');
  if (recipient !== undefined) return { recipient };
  return { passphrase: await readPassphrase(passphraseFile, { what: 'Passphrase of the backup', isRepeated: true }) };
}

/** @throws {StartError} when there is none, or two */
export async function keyOf({
  identity,
  passphraseFile,
}: {
  identity?: string;
  passphraseFile?: string;
}): Promise<Key> {
  if (identity !== undefined && passphraseFile !== undefined) throw both('--identity');
  if (identity === undefined) {
    return {
      passphrase: await readPassphrase(passphraseFile, { what: 'Passphrase of the backup', isRepeated: false }),
    };
  }
  const found = linesOf(identity).find((line) => line.startsWith('AGE-SECRET-KEY-'));
  return { identity: new Secret(found?.trim() ?? '') };
}

const both = (flag: string): StartError => new StartError(`Choose one: ${flag} or --passphrase-file.`);
