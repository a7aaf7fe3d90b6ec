import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from './failure.ts';

/** A file, and what its user can do when it cannot be used. */
export type FileAdvice = {
  path: string;
  /** What the file is, as in "the configuration". */
  purpose: string;
  /** How to have it elsewhere, as half a sentence. */
  elsewhere: string;
  /** What helps without permission, as a sentence. */
  permission: string;
  /** How to get a new one, as half a sentence. */
  renew: string;
};

type SystemError = Error & { code?: string; path?: string };

/** Does `work` with a file; turns what the file system, or a library that reads it, throws into a sentence with the next step. */
export function guardFile<T>(advice: FileAdvice, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    throw asFailure(error, advice);
  }
}

function asFailure(error: SystemError, advice: FileAdvice): Failure {
  const place = error.path ?? advice.path;
  const failed = (sentence: string, next: string) => new Failure('failed', sentence, next, { cause: error });
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
      return failed(`There is no permission to use ${place}.`, advice.permission);
    case 'EROFS':
      return failed(`${place} is on a file system that is read-only.`, advice.permission);
    case 'ENOSPC':
    case 'EDQUOT':
      return failed(`${place} could not be written: the disk is full.`, 'Free some space and run the command again.');
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EISDIR':
      return failed(`${place} is in the way of ${advice.purpose}.`, `Move it away or ${advice.elsewhere}.`);
    case undefined:
      return damagedFile(advice, error);
    default:
      return failed(`${place} could not be used (${error.code}).`, `Fix that or ${advice.elsewhere}.`);
  }
}

/** A file that cannot be understood; it stays as it is. */
export const damagedFile = ({ path, renew }: FileAdvice, cause: unknown): Failure =>
  new Failure('failed', `${path} is damaged and was left as it is.`, `Repair it or delete it, then ${renew}.`, {
    cause,
  });

const ITS_OWNER_ALONE = 0o700;

/**
 * Makes a directory that its owner alone may look into, and what is missing above it, unless it is there. One at a time: below /proc, which says that the parent is missing
 * though it is not, Node's own recursion would try for ever.
 *
 * @returns what takes away again those that were made, as far as nothing has come into them
 * @throws what the file system says; nothing is left then
 */
export function makeDirectory(path: string): () => void {
  if (existsSync(path)) return () => undefined;
  const parent = dirname(path);
  const unmakeParent = parent === path ? () => undefined : makeDirectory(parent);
  try {
    mkdirSync(path, { mode: ITS_OWNER_ALONE });
  } catch (error) {
    // Somebody else was faster.
    if (existsSync(path)) return () => undefined;
    unmakeParent();
    throw error;
  }
  return () => {
    try {
      rmdirSync(path);
    } catch {
      // It is in use by now, and so is what stands above it.
      return;
    }
    unmakeParent();
  };
}

/** Does work in a directory that is made where there is none; when the work fails, none is left that was not there. */
export function inDirectory<T>(path: string, work: () => T): T {
  const unmake = makeDirectory(path);
  try {
    return work();
  } catch (error) {
    unmake();
    throw error;
  }
}

/** What stands in a file; null when there is none. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Replaces a file as a whole or not at all; its owner alone may read it, unless `mode` says otherwise. */
export function writePrivateFile(path: string, text: string, mode = 0o600): void {
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = openSync(fresh, 'wx', mode);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** As it stands in a file that people may read. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, undefined, '\t')}\n`;
