import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { type AccessLog, openAccessLog } from './accessLog.ts';
import { pathsIn, rawLine, readLog } from '../testing/logTrial.ts';

const KEYS = [
  { kind: 'http', id: 5 },
  { kind: 'domain', id: 2 },
] as const;
const PAGE_BYTES = 4096;
const DISK_BYTES = 4 * 1024 * 1024;
const KEPT = 40;
const SOON = { timeout: 20_000 };

let base: string;
/** A small disk of its own, which holds what the gateway keeps; nginx's log is elsewhere. */
let disk: string;
let isMounted: boolean;
let file: string;
let opened: AccessLog[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-full-log-'));
  disk = join(base, 'disk');
  file = join(base, 'access.log');
  opened = [];
  mkdirSync(disk);
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`];
  isMounted = spawnSync('mount', [...options, 'sallyport-test', disk]).status === 0;
});
afterEach(async () => {
  for (const log of opened) await log.close();
  if (isMounted) expect(spawnSync('umount', [disk]).status).toBe(0);
  rmSync(base, { recursive: true });
});

const needDisk = ({ skip }: TestContext): void => {
  if (!isMounted) skip('only root can mount a disk to be filled, and not in every container');
};
async function open(rotateBytes?: number): Promise<AccessLog> {
  const log = await openAccessLog({
    path: file,
    directory: join(disk, 'kept'),
    historyBytes: 100_000_000,
    isKnown: () => true,
    reopenLogs: () => {
      appendFileSync(file, '');
      return Promise.resolve();
    },
    notices: { info: () => undefined, warn: () => undefined },
    ...(rotateBytes === undefined ? {} : { rotateBytes }),
  });
  opened.push(log);
  await log.caughtUp();
  return log;
}
const lines = (from: number, to: number): string =>
  numbers(from, to)
    .map((path) => rawLine(path))
    .join('');
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `/${from + index}`);
/** What the history of each log shows. */
async function shown(log: AccessLog): Promise<string[][]> {
  const all: string[][] = [];
  for (const key of KEYS) {
    const reader = await readLog(log, key);
    await expect.poll(() => reader.batches.length, SOON).toBeGreaterThan(0);
    reader.stop();
    all.push(pathsIn(reader.texts()));
  }
  return all;
}
const both = (paths: string[]): string[][] => KEYS.map(() => paths);

/** Fills the disk but for so many pages. */
function fill(freePages: number): void {
  writeFileSync(join(disk, 'fill'), Buffer.alloc((statfsSync(disk).bavail - freePages) * PAGE_BYTES));
  expect(statfsSync(disk).bavail).toBe(freePages);
}
const empty = (): void => rmSync(join(disk, 'fill'));
/** Ends a log so that what it keeps is left as a kill would leave it at this moment. */
async function kill(log: AccessLog): Promise<void> {
  const kept = join(disk, 'kept');
  const left = join(base, 'left');
  cpSync(kept, left, { recursive: true });
  await log.close();
  empty();
  rmSync(kept, { recursive: true });
  cpSync(left, kept, { recursive: true });
}

describe('lines of which the disk took only a part', () => {
  // Some pages are left, so that the part ends in the first line, between lines, or behind many.
  it.for([0, 1, 2, 5])('are whole and there once when there is room again: %i pages left', async (free, context) => {
    needDisk(context);
    const log = await open();
    appendFileSync(file, lines(0, KEPT));
    await log.caughtUp();
    expect(await shown(log)).toEqual(both(numbers(0, KEPT)));
    fill(free);
    let end = KEPT;
    // Each is tried, and fails in its turn.
    for (let turn = 0; turn < 4; turn += 1) {
      appendFileSync(file, lines(end, end + 200));
      end += 200;
      await log.caughtUp();
      await shown(log);
    }
    empty();
    appendFileSync(file, lines(end, end + 1));
    await log.caughtUp();
    expect(await shown(log)).toEqual(both(numbers(0, end + 1)));
    await log.close();
    expect(await shown(await open())).toEqual(both(numbers(0, end + 1)));
  });

  it.for([0, 1, 2, 5])('are whole and there once after a kill: %i pages left', async (free, context) => {
    needDisk(context);
    const log = await open();
    appendFileSync(file, lines(0, KEPT));
    await log.caughtUp();
    expect(await shown(log)).toEqual(both(numbers(0, KEPT)));
    fill(free);
    appendFileSync(file, lines(KEPT, 400));
    await log.caughtUp();
    await shown(log);
    await kill(log);
    appendFileSync(file, lines(400, 401));
    expect(await shown(await open())).toEqual(both(numbers(0, 401)));
  });
});

it.for(['is stopped', 'is killed', 'goes on'])(
  'a log that was moved away stays while the disk is full, and is read later: the gateway %s',
  async (what, context) => {
    needDisk(context);
    const rotateBytes = 10_000;
    const moved = (): string[] => readdirSync(base).filter((name) => name.startsWith('access.log.'));
    let log = await open(rotateBytes);
    appendFileSync(file, lines(0, KEPT));
    await log.caughtUp();
    expect(await shown(log)).toEqual(both(numbers(0, KEPT)));
    fill(0);
    let end = KEPT;
    for (let turn = 0; turn < 3; turn += 1) {
      appendFileSync(file, lines(end, end + 200));
      end += 200;
      for (let look = 0; look < 2; look += 1) await log.caughtUp();
    }
    const left = [moved()];
    if (what === 'is killed') await kill(log);
    if (what === 'is stopped') {
      await log.close();
      left.push(moved());
      // The next one cannot keep them either.
      log = await open(rotateBytes);
      for (let look = 0; look < 2; look += 1) await log.caughtUp();
      left.push(moved());
    }
    expect(left.map((files) => files.length)).toEqual(left.map(() => 3));
    if (what !== 'is killed') empty();
    if (what !== 'goes on') {
      await log.close();
      log = await open(rotateBytes);
    }
    await expect.poll(moved, SOON).toEqual([]);
    expect(await shown(log)).toEqual(both(numbers(0, end)));
    await log.close();
    expect(await shown(await open())).toEqual(both(numbers(0, end)));
  },
);
