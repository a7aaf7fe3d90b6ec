import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createWriteStream,
  cpSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import manifest from '../../package.json' with { type: 'json' };
import { readConfig } from '../config.ts';
import { gatewayUsing, LOCK_FILE, lockDirectory, PID_FILE } from '../machine/dataDirectory.ts';
import { StartError } from '../machine/startError.ts';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import { backupName, isBackupName, noteBackup } from '../start/lastBackup.ts';
import { checkDatabase, copyDatabase } from '../store/open.ts';
import { withoutRoom } from './noRoom.ts';
import type { Progress } from './progress.ts';
import {
  digestOf,
  isSecretKept,
  LINES_FILE,
  type Lock,
  type Manifest,
  SECRETS_DIRECTORY,
  SETTINGS_FILE,
  writeArchive,
} from './archive.ts';

const KEY_FILE = 'vault.key';
const STAGE_PREFIX = 'backup-';
const STANDARD_OUTPUT = '-';
/** How long another backup may look whether the lock is held. */
const LOCK_WAIT_MS = 5000;
/** A directory for copies is locked within less than this, or its backup was killed. */
const UNLOCKED_MAX_MS = 60_000;
const PART_SUFFIX = '.part';
/** Says, next to the copies of a backup, which file it writes. */
const PART_FILE = 'part';

/**
 * Writes everything that the gateway needs to go on elsewhere into one encrypted file: the database as of one moment, keys,
 * certificates and settings. The gateway may run meanwhile.
 * @param options.target a file; a directory, in which it is named after the time; or `-` for standard output
 * @param options.keep how many backups are left in that directory, the newest; undefined: all
 * @param options.withLogs the stored log lines, too
 * @param options.progress is told how far it is
 * @throws {StartError} when there is no gateway or no key of it, the file is there already, or there is no room for it
 * @throws {DatabaseError} when the database is damaged
 */
export async function backup(
  env: NodeJS.ProcessEnv,
  options: { target: string; keep?: number; lock: Lock; withLogs: boolean; progress: Progress },
): Promise<{ file: string; manifest: Manifest; bytes: number }> {
  const { dataDirectory, keyFile } = readConfig(env);
  const { target: wanted, keep, lock, withLogs, progress } = options;
  const now = new Date();
  const directory = isDirectory(wanted) ? wanted : null;
  if (keep !== undefined && directory === null) {
    throw new StartError(`Older backups are looked for in a directory, and ${wanted} is none. Make it first.`);
  }
  const file = directory === null ? wanted : join(directory, backupName(now));
  const database = join(dataDirectory, DATABASE_FILE);
  if (!existsSync(database)) {
    throw new StartError(`There is no gateway in ${dataDirectory}. Name its directory with SALLYPORT_DATA.`);
  }
  if (file !== STANDARD_OUTPUT && existsSync(file)) {
    throw new StartError(`${file} is there already. Name another file, or move it away.`);
  }
  const isOutput = file === STANDARD_OUTPUT;
  const part = resolve(`${file}${PART_SUFFIX}`);
  const { stage, copies, release } = makeStage(dataDirectory);
  let hasPart = false;
  try {
    if (!isOutput) writeFileSync(join(stage, PART_FILE), part, { mode: 0o600 });
    const others = forgetKilled(dataDirectory, stage);
    if (!isOutput) checkFree(part, others);
    progress.step('Copying the database ...');
    // A night's backup of what cannot be used would take the place of a good one.
    checkDatabase(database);
    const vaultKey = keyFile ?? join(dataDirectory, SECRETS_DIRECTORY, KEY_FILE);
    if (!existsSync(vaultKey)) {
      throw new StartError(
        `${vaultKey} is missing: what is sealed in the database opens with no other key. Put it back.`,
      );
    }
    await copyDatabase(database, join(copies, DATABASE_FILE), progress.at);
    const lines = join(dataDirectory, LINES_FILE);
    if (withLogs && existsSync(lines)) {
      progress.step(`Copying the log lines (${Math.ceil(statSync(lines).size / 1e6)} MB) ...`);
      mkdirSync(join(copies, dirname(LINES_FILE)));
      await copyDatabase(lines, join(copies, LINES_FILE), progress.at);
    }
    copySecrets(join(dataDirectory, SECRETS_DIRECTORY), join(copies, SECRETS_DIRECTORY));
    if (keyFile !== null) copyFileSync(keyFile, join(copies, SECRETS_DIRECTORY, KEY_FILE));
    writeFileSync(join(copies, SETTINGS_FILE), settingsText(env), { mode: 0o600 });

    progress.step('Writing ...');
    const hash = createHash('sha256');
    let bytes = 0;
    const hashed = new Transform({
      transform(piece: Buffer, _encoding, done) {
        hash.update(piece);
        bytes += piece.length;
        done(null, piece);
      },
    });
    const target = isOutput ? process.stdout : createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true });
    target.once('open', () => (hasPart = true));
    // Standard output is closed by the end of the process.
    const written = pipeline(hashed, target, { end: !isOutput });
    const [made] = await Promise.all([
      writeArchive(copies, hashed, { lock, version: manifest.version, now, told: progress.at }),
      written,
    ]);
    if (!isOutput) {
      progress.step('Reading it again ...');
      await verify(part, hash.digest('hex'), bytes, progress);
      renameSync(part, file);
    }
    noteBackup(dataDirectory, now, isOutput ? null : file);
    if (directory !== null && keep !== undefined) forgetOlder(directory, keep);
    return { file, manifest: made, bytes };
  } catch (error) {
    if (hasPart) rmSync(part, { force: true });
    throw withoutRoom(error, dataDirectory, `in ${dataDirectory} or for ${file}`);
  } finally {
    progress.end();
    release();
    rmSync(stage, { recursive: true, force: true });
  }
}

/** The names begin with the time, so the last of them are the newest. */
function forgetOlder(directory: string, keep: number): void {
  const all = readdirSync(directory).filter(isBackupName);
  for (const name of all.toSorted().slice(0, -keep)) rmSync(join(directory, name));
}

const isDirectory = (path: string): boolean =>
  path !== STANDARD_OUTPUT && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function copySecrets(from: string, to: string): void {
  cpSync(from, to, { recursive: true, dereference: true, filter: (path) => isSecretKept(relative(from, path)) });
}

const settingsText = (env: NodeJS.ProcessEnv): string =>
  Object.entries(env)
    .filter(([name, value]) => /^SALLYPORT_\w+$/.test(name) && value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    .toSorted()
    .join('');

/** A directory for copies, next to a lock that is held as long as this process lives, or until `release`. */
function makeStage(dataDirectory: string): { stage: string; copies: string; release(): void } {
  const stage = mkdtempSync(join(dataDirectory, STAGE_PREFIX));
  const lock = lockDirectory(join(stage, LOCK_FILE), join(stage, PID_FILE), LOCK_WAIT_MS);
  if (!lock.held) throw new StartError(`Another program is using ${stage}. Run the command again.`);
  const copies = join(stage, 'copies');
  mkdirSync(copies);
  return { stage, copies, release: lock.release };
}

/**
 * Removes the copies of backups that were killed, and what they have written; one that goes on holds its lock, however slow it is.
 * @returns the files that those are writing which go on, each with its process if that is known
 */
function forgetKilled(dataDirectory: string, own: string): Map<string, number | null> {
  const writing = new Map<string, number | null>();
  for (const name of readdirSync(dataDirectory).filter((each) => each.startsWith(STAGE_PREFIX))) {
    const stage = join(dataDirectory, name);
    if (stage === own) continue;
    try {
      const partFile = join(stage, PART_FILE);
      const part = existsSync(partFile) ? readFileSync(partFile, 'utf8') : null;
      const isNew = !existsSync(join(stage, LOCK_FILE)) && Date.now() - statSync(stage).mtimeMs < UNLOCKED_MAX_MS;
      const holder = isNew ? null : gatewayUsing(stage);
      if (holder === undefined) {
        if (part?.endsWith(PART_SUFFIX)) rmSync(part, { force: true });
        rmSync(stage, { recursive: true, force: true });
      } else if (part !== null) writing.set(part, holder);
    } catch {
      // Its backup has just ended, and removes it.
    }
  }
  return writing;
}

/** @throws {StartError} when another backup writes this file, of this gateway or of one that is not known here */
function checkFree(part: string, others: ReadonlyMap<string, number | null>): void {
  const holder = others.get(part);
  if (holder !== undefined) {
    const process = holder === null ? '' : ` (process ${holder})`;
    throw new StartError(`${part} is being written by another backup${process}. Wait until it ends.`);
  }
  if (existsSync(part)) {
    throw new StartError(`${part} is there, and no backup of this gateway writes it. Remove it, or name another file.`);
  }
}

/** @throws {StartError} when the disk gives back something else than it was given */
async function verify(file: string, digest: string, all: number, progress: Progress): Promise<void> {
  let bytes = 0;
  const found = await digestOf(file, (more) => progress.at((bytes += more), all));
  if (found !== digest) {
    throw new StartError(`What was written to ${basename(file)} cannot be read again. Choose another disk.`);
  }
}
