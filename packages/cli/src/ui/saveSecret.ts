import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../context.ts';

/** Writes a file that only its owner may read, whole or not at all. A `Failure` says why it cannot be. */
export async function saveSecret(path: string, content: string | Uint8Array): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const why = REASONS[code] ?? `the system says ${code}`;
    throw new Failure('failed', `${path} could not be written: ${why}.`, 'Name another file, or free some space.', {
      cause: error,
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'the disk is read-only',
  ENOENT: 'there is no such directory',
  ENOTDIR: 'there is no such directory',
  EISDIR: 'it is a directory',
};
