import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCode, isDiskFull } from './errorCode.ts';
import { StartError } from './startError.ts';
import { DatabaseSync } from 'node:sqlite';

/** The one directory in which the gateway keeps everything, open and locked. */
export type DataDirectory = {
  /** Absolute, without symbolic links. */
  path: string;
  /** Only for the gateway's own account: keys and certificates. nginx's master reads them, its workers cannot. */
  secrets: string;
  /** nginx's prefix. */
  ingress: string;
  workerUser: WorkerUser | null;
  /** Lets another gateway open the directory. The end of the process does the same. */
  close(): void;
};

/** Held by the gateway that is using a data directory. */
export const LOCK_FILE = 'gateway.lock';
/** Its process number. */
export const PID_FILE = 'gateway.pid';
// The kernel's limit for the address of a unix socket, its final zero included.
const SOCKET_PATH_BYTES = 108;
const LONGEST_SOCKET = 'ingress/run/gateway.sock';
/** Where a restore unpacks a backup in a data directory that is a mount point. */
export const STAGE_WITHIN = '.restoring';
/** What a fresh file system brings along, or a restore that was killed left, does not make a directory someone else's. */
export const HARMLESS_ENTRIES: ReadonlySet<string> = new Set(['lost+found', STAGE_WITHIN]);

/**
 * Makes, checks and locks the data directory.
 * @throws {StartError} when it cannot be used, with a sentence that says what to do.
 */
export function openDataDirectory(wanted: string): DataDirectory {
  const path = makeRoot(resolve(wanted));
  const user = workerUser();
  checkSocketPath(path);
  checkNotForeign(path);
  const lock = explained(path, () => lockDirectory(join(path, LOCK_FILE), join(path, PID_FILE)));
  if (!lock.held) {
    const who = lock.holder === null ? 'Another gateway' : `Another gateway (process ${lock.holder})`;
    throw new StartError(`${who} is using ${path}. Stop it, or choose another directory with SALLYPORT_DATA.`);
  }
  try {
    if (user !== null) checkTraversable(path, user);
    return { ...explained(path, () => makeLayout(path, user)), close: lock.release };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** One by one: on file systems that refuse new entries with ENOENT, such as /proc, Node's own way never ends. */
function makeWithParents(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeWithParents(dirname(path));
  mkdirSync(path, { mode: 0o711 });
}

function makeRoot(given: string): string {
  return explained(given, () => {
    makeWithParents(given);
    if (!statSync(given).isDirectory()) throw notADirectory(given);
    return realpathSync(given);
  });
}

/** A directory of nginx's: the group of the workers that may use it, or null when that is no one's matter. */
export type IngressDirectory = { path: string; mode: number; group: number | null };

/**
 * nginx's prefix and the directories in it, parents first. Those that its workers need belong to root and are open to
 * the workers' group: a worker that was taken over must not be able to plant a symbolic link where nginx's master writes
 * as root (its logs, its pid file) or hands directories over (its temporary files, which it makes and gives to the
 * worker itself).
 */
export function ingressDirectories(ingress: string, user: WorkerUser | null): IngressDirectory[] {
  const group = user === null ? null : user.gid;
  return [
    { path: ingress, mode: 0o711, group: null },
    { path: join(ingress, 'generations'), mode: 0o700, group: null },
    { path: join(ingress, 'run'), mode: 0o750, group },
    { path: join(ingress, 'logs'), mode: 0o750, group },
    { path: join(ingress, 'tmp'), mode: 0o710, group },
    { path: join(ingress, 'acme'), mode: 0o750, group },
  ];
}

/** Makes a directory, or sets its owner and mode right. */
export function ownDirectory({ path, mode, group }: IngressDirectory): void {
  mkdirSync(path, { recursive: true });
  if (group !== null) chownSync(path, 0, group);
  chmodSync(path, mode);
}

function makeLayout(path: string, user: WorkerUser | null): Omit<DataDirectory, 'close'> {
  const secrets = join(path, 'secrets');
  const ingress = join(path, 'ingress');
  ownDirectory({ path, mode: 0o711, group: null });
  ownDirectory({ path: secrets, mode: 0o700, group: null });
  for (const directory of ingressDirectories(ingress, user)) ownDirectory(directory);
  return { path, secrets, ingress, workerUser: user };
}

function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(join(path, LONGEST_SOCKET)) + 1;
  if (bytes > SOCKET_PATH_BYTES) {
    throw new StartError(
      `The path of the data directory ${path} is ${bytes - SOCKET_PATH_BYTES} bytes too long for the sockets in it. Choose a shorter one with SALLYPORT_DATA.`,
    );
  }
}

/** Refuses to change the mode of, and spread into, a directory that holds something else, such as /var/lib itself. */
function checkNotForeign(path: string): void {
  if (existsSync(join(path, LOCK_FILE))) return;
  const entries = explained(path, () => readdirSync(path)).filter((entry) => !HARMLESS_ENTRIES.has(entry));
  if (entries.length > 0) {
    throw new StartError(
      `${path} is not empty and is not a data directory of Sallyport. Choose an empty or a new directory with SALLYPORT_DATA.`,
    );
  }
}

function checkTraversable(path: string, user: WorkerUser): void {
  const parent = closedParent(path, user);
  if (parent !== null) {
    throw new StartError(
      `nginx's workers (${user.name}) cannot enter ${parent}, so they cannot use ${path}. Run "chmod o+x ${parent}", or choose another directory with SALLYPORT_DATA.`,
    );
  }
}

/**
 * The nearest directory above `path` that the workers cannot enter; null: there is none. Those that are missing do not
 * count: the start makes them so that anyone may enter.
 */
export function closedParent(path: string, user: WorkerUser): string | null {
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    const found = statSync(parent, { throwIfNoEntry: false });
    if (found !== undefined) {
      const bit = found.uid === user.uid ? 0o100 : found.gid === user.gid ? 0o010 : 0o001;
      if ((found.mode & bit) === 0) return parent;
    }
    if (parent === dirname(parent)) return null;
  }
}

function notADirectory(path: string): StartError {
  return new StartError(`${path} is not a directory. Choose another one with SALLYPORT_DATA.`);
}

const ANSWERS: Record<string, string> = {
  EACCES: 'cannot be written by this account. Give the account access',
  EPERM: 'cannot be written by this account. Give the account access',
  EROFS: 'is on a read-only file system. Make it writable',
  ENOSPC: 'is on a full disk. Free some space',
  EDQUOT: 'is on a disk whose quota is used up. Free some space',
  ENAMETOOLONG: 'is too long a name. Shorten it',
  ELOOP: 'is a loop of symbolic links. Repair it',
};

// What SQLite makes of the lock file when it is read-only, the disk is full, or the file cannot be opened.
const SQLITE_CODES = new Map([
  [8, 'EACCES'],
  [13, 'ENOSPC'],
  [14, 'EACCES'],
]);

function codeOf(error: unknown): string {
  // The lowest byte is the kind of failure; the rest says more about it.
  const isOfSqlite = error instanceof Error && 'errcode' in error;
  return isOfSqlite ? (SQLITE_CODES.get(Number(error.errcode) & 0xff) ?? '') : errorCode(error);
}

function explained<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof StartError) throw error;
    const code = codeOf(error);
    if (code === 'ENOTDIR' || code === 'EEXIST') throw notADirectory(path);
    const reason =
      ANSWERS[code] ?? `cannot be used (${error instanceof Error ? error.message : String(error)}). Repair it`;
    throw new StartError(`The data directory ${path} ${reason}, or choose another directory with SALLYPORT_DATA.`, {
      cause: error,
    });
  }
}

const SQLITE_BUSY = 5;

// A database that no one refers to is closed by the garbage collector, and its lock is gone.
const heldDatabases = new Set<DatabaseSync>();

/** A held lock, or the process that holds it (`null` when it did not leave its number). */
export type DirectoryLock = { held: true; release(): void } | { held: false; holder: number | null };

/**
 * Takes an exclusive lock on a file.
 *
 * Node offers no flock; an open exclusive transaction of SQLite is one. The kernel drops it when the process ends,
 * however it ends, so it cannot go stale, and it holds between containers that share the directory. Child processes
 * do not inherit it.
 * @param waitMs how long to wait for another process that holds it
 */
export function lockDirectory(lockFile: string, pidFile: string, waitMs = 0): DirectoryLock {
  const database = new DatabaseSync(lockFile, { timeout: waitMs });
  try {
    // Nothing is ever written to it; a journal on disk would only need room, which a full one has not.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      return { held: false, holder: readHolder(pidFile) };
    }
    throw error;
  }
  chmodSync(lockFile, 0o600);
  notePid(pidFile);
  heldDatabases.add(database);
  return {
    held: true,
    release: () => {
      if (heldDatabases.delete(database)) database.close();
    },
  };
}

/**
 * The process of the gateway, or of the backup, that holds the lock in a directory, null where it left no number;
 * undefined: none does.
 */
export function gatewayUsing(directory: string): number | null | undefined {
  const lockFile = join(directory, LOCK_FILE);
  if (!existsSync(lockFile)) return undefined;
  const database = new DatabaseSync(lockFile, { timeout: 0, readOnly: true });
  try {
    // A gateway has it exclusively. It is read, and not taken, so that it is held for a moment alone.
    database.prepare('select count(*) from sqlite_schema').get();
    return undefined;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      return readHolder(join(directory, PID_FILE));
    }
    throw error;
  } finally {
    database.close();
  }
}

/** For the message to a second gateway; the lock is held without it, so a full disk is no reason to give it up. */
function notePid(pidFile: string): void {
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

function readHolder(pidFile: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    return Number.isSafeInteger(pid) ? pid : null;
  } catch {
    return null;
  }
}

/** The account under which nginx's workers run. */
export type WorkerUser = { name: string; uid: number; gid: number };

// The first is for nothing else: the others are those of other web servers as well, which may then speak for nginx.
const CANDIDATES = ['sallyport-nginx', 'www-data', 'nginx', 'nobody'];

/** The account for nginx's workers, or null when the gateway is not root and the workers keep its own account. */
export function workerUser(passwdFile = '/etc/passwd'): WorkerUser | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = new Map<string, WorkerUser>();
  for (const line of readFileSync(passwdFile, 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name !== undefined && uid !== undefined && gid !== undefined) {
      accounts.set(name, { name, uid: Number(uid), gid: Number(gid) });
    }
  }
  for (const candidate of CANDIDATES) {
    const account = accounts.get(candidate);
    if (account !== undefined && account.uid !== 0) return account;
  }
  return null;
}
