import { randomBytes } from 'node:crypto';
import {
  type Stats,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
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
const damagedFile = ({ path, renew }: FileAdvice, cause: unknown): Failure =>
  new Failure('failed', `${path} is damaged and was left as it is.`, `Repair it or delete it, then ${renew}.`, {
    cause,
  });

/**
 * Makes a directory that only its owner may look into, and what is missing above it, unless it is there. One at a time:
 * below /proc, which says that the parent is missing though it is not, Node's own recursion would try for ever.
 * @returns what takes away again those that were made, as far as nothing has come into them
 * @throws what the file system says; nothing is left then
 */
export function makeDirectory(path: string): () => void {
  if (existsSync(path)) return () => undefined;
  const parent = dirname(path);
  const unmakeParent = parent === path ? () => undefined : makeDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
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
export function writePrivateFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = openSync(fresh, 'wx', mode);
    try {
      writeFileSync(file, content);
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

/**
 * What a configuration file says; null when there is none. One that other users could have written, that cannot be
 * understood, or that a newer version wrote, is a `Failure` and stays as it is.
 */
export function readDocument<S extends z.ZodMiniType<{ version: number }>>(
  advice: FileAdvice,
  schema: S,
  version: number,
): z.output<S> | null {
  checkTrusted(advice.path);
  const text = guardFile(advice, () => readIfThere(advice.path));
  if (text === null) return null;
  const content = guardFile(advice, (): unknown => JSON.parse(text));
  const checked = z.safeParse(schema, content);
  if (!checked.success) throw damagedFile(advice, checked.error);
  if (checked.data.version <= version) return checked.data;
  throw new Failure('failed', `${advice.path} was written by a newer version of sallyport.`, 'Update sallyport.');
}

/** Replaces a configuration file as a whole, and makes its directory. Only its owner may read it. */
export function writeDocument(advice: FileAdvice, document: object): void {
  checkTrusted(advice.path);
  guardFile(advice, () => {
    inDirectory(dirname(advice.path), () => writePrivateFile(advice.path, jsonText(document)));
  });
}

/** Writes a secret to the file that the user named, which only its owner may read. */
export function saveSecret(path: string, content: string | Uint8Array): void {
  try {
    writePrivateFile(path, content);
  } catch (error) {
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

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;

/**
 * Refuses a configuration that other users could have put there or could change, as ssh does: a gateway that they name
 * would be given this user's token, and root would route its traffic. Looks at the file, at its directory, and at both again
 * where a link leads; what is not there yet is no danger.
 * @param uid who runs this; undefined on systems without owners
 * @throws {Failure} with the command that repairs it
 */
export function checkTrusted(path: string, uid = process.getuid?.()): void {
  if (uid === undefined) return;
  const real = at(() => realpathSync(path)) ?? path;
  for (const file of new Set([path, real])) {
    checkDirectory(dirname(file), uid);
    const stats = at(() => lstatSync(file));
    if (stats === null) continue;
    checkOwner(file, stats, uid);
    // The mode of a link means nothing.
    if (!stats.isSymbolicLink() && (stats.mode & WRITABLE_BY_OTHERS) !== 0) {
      throw refused(`${file} can be written by other users`, `chmod go-w ${quoted(file)}`);
    }
  }
}

function checkDirectory(directory: string, uid: number): void {
  const stats = at(() => statSync(directory));
  if (stats === null) return;
  checkOwner(directory, stats, uid);
  // In a directory like /tmp users cannot replace the files of others.
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0 && (stats.mode & STICKY) === 0) {
    throw refused(
      `${directory}, where the configuration is, can be written by other users`,
      `chmod go-w ${quoted(directory)}`,
    );
  }
}

function checkOwner(path: string, { uid: owner }: Stats, uid: number): void {
  if (owner === uid || owner === ROOT) return;
  throw refused(
    `${path} belongs to another user (uid ${owner})`,
    `chown ${uid === ROOT ? 'root' : uid} ${quoted(path)}`,
  );
}

/** What the file system says; null where it fails, which the code that uses the file reports. */
function at<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

const refused = (what: string, command: string): Failure =>
  new Failure('failed', `${what}, so it is not used.`, `Look whether it says what you want, then run \`${command}\`.`);
