import { Secret } from '../vault/secret.ts';
import type { Key, Lock } from './archive.ts';
import { linesOf, readPassphrase } from './passphrase.ts';

/** What a backup is locked with. @throws {UsageError} where it is asked for, and there is no answer */
export async function lockOf({
  recipient,
  passphraseFile,
}: {
  recipient?: string;
  passphraseFile?: string;
}): Promise<Lock> {
  if (recipient !== undefined) return { recipient };
  return { passphrase: await readPassphrase(passphraseFile, { what: 'Passphrase of the backup', isRepeated: true }) };
}

/** What opens a backup. @throws {UsageError} where it is asked for, and there is no answer */
export async function keyOf({
  identity,
  passphraseFile,
}: {
  identity?: string;
  passphraseFile?: string;
}): Promise<Key> {
  if (identity === undefined) {
    return {
      passphrase: await readPassphrase(passphraseFile, { what: 'Passphrase of the backup', isRepeated: false }),
    };
  }
  const found = linesOf(identity).find((line) => line.startsWith('AGE-SECRET-KEY-'));
  return { identity: new Secret(found?.trim() ?? '') };
}
