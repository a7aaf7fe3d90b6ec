import { type Stats, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from './failure.ts';

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
