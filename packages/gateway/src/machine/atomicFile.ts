import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './errorCode.ts';

/**
 * Writes a file so that, after a crash or a power loss, it is there whole or as it was before. It is synced to the
 * disk: this is for keys, which nothing can make again.
 */
export async function replaceFile(path: string, content: string, mode = 0o600): Promise<void> {
  await writeBeside(path, content, mode, (temporary) => rename(temporary, path));
}

/** Like `replaceFile`, but leaves a file alone that is already there; false when it is. */
export async function createFile(path: string, content: string, mode = 0o600): Promise<boolean> {
  try {
    await writeBeside(path, content, mode, (temporary) => link(temporary, path));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Writes a file at once, so that after a crash of the gateway it is there whole or as it was before. After a power loss it
 * may be damaged: this is for what is noted often, and can be missed. One writer at a time.
 */
export function putFile(path: string, content: string, mode = 0o600): void {
  const next = `${path}.next`;
  writeFileSync(next, content, { mode });
  renameSync(next, path);
}

async function writeBeside(
  path: string,
  content: string,
  mode: number,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
