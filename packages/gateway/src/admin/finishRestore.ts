// Apart from the rest of `restore`, so that a start loads neither tar nor age.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HARMLESS_ENTRIES, STAGE_WITHIN } from '../machine/dataDirectory.ts';

/** What is kept of former times within a data directory that is a mount point. */
const KEPT_PREFIX = '.before-';
/** Says that all of it was unpacked and checked; within a mount point, also where what is there goes to. */
export const COMPLETE_FILE = 'complete';
/** Says that what was there is out of the way. */
const CLEARED_FILE = 'cleared';

const stageBeside = (directory: string): string => `${directory}.restoring`;

/** Where a backup is unpacked: next to the data directory whose place it takes, or within one that cannot be moved. */
export const unpackedOf = (directory: string): string =>
  isMountPoint(directory) ? join(directory, STAGE_WITHIN) : stageBeside(directory);

/** Under which name what is in a data directory is kept. */
export function keptPathOf(directory: string, now: Date): string {
  const name = `before-${now.toISOString().replaceAll(/[:.]/g, '-')}`;
  return isMountPoint(directory) ? join(directory, `.${name}`) : `${directory}.${name}`;
}

/** What of a directory is there because of a gateway: not what a file system or a restore has in it. */
export const ownEntries = (directory: string): string[] =>
  readdirSync(directory).filter((name) => !HARMLESS_ENTRIES.has(name) && !name.startsWith(KEPT_PREFIX));

/** Ends a restore that was killed in its last steps. A start does it as well. */
export function finishRestore(directory: string): void {
  finishWithin(directory);
  const unpacked = stageBeside(directory);
  if (existsSync(directory) || !existsSync(join(unpacked, COMPLETE_FILE))) return;
  renameSync(unpacked, directory);
  rmSync(join(directory, COMPLETE_FILE));
}

/** Entry by entry, each step once: first all that was there goes out of the way, then all that is new comes in. */
function finishWithin(directory: string): void {
  const unpacked = join(directory, STAGE_WITHIN);
  const complete = join(unpacked, COMPLETE_FILE);
  const cleared = join(unpacked, CLEARED_FILE);
  if (!existsSync(complete)) return;
  if (!existsSync(cleared)) {
    const kept = join(directory, basename(readFileSync(complete, 'utf8')) || `${KEPT_PREFIX}restore`);
    const entries = ownEntries(directory);
    if (entries.length > 0) mkdirSync(kept, { recursive: true, mode: 0o700 });
    for (const name of entries) renameSync(join(directory, name), join(kept, name));
    if (existsSync(kept)) sync(kept);
    sync(directory);
    writeFileSync(cleared, '', { flush: true });
  }
  for (const name of readdirSync(unpacked)) {
    if (name !== COMPLETE_FILE && name !== CLEARED_FILE) renameSync(join(unpacked, name), join(directory, name));
  }
  sync(directory);
  rmSync(complete);
  rmSync(unpacked, { recursive: true });
}

function sync(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether something is mounted there, such as a disk or the volume of a container: it cannot be renamed then. */
export function isMountPoint(path: string): boolean {
  if (!existsSync(path)) return false;
  const real = realpathSync(path);
  return statSync(real).dev !== statSync(dirname(real)).dev || mountPoints().includes(real);
}

/** As the kernel lists them; part of a disk that is mounted elsewhere on the same disk is known by this alone. */
function mountPoints(): string[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return lines.map((line) =>
      (line.split(' ')[4] ?? '').replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))),
    );
  } catch {
    return [];
  }
}
