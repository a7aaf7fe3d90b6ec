import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAccessLogTrial, DOMAIN, entries, KEY, numbers, paths } from '../testing/logTrial.ts';

const PAGE_BYTES = 4096;
const MB = 1024 * 1024;
const DISK_BYTES = 40 * MB;
/** Of this, nothing is taken for lines. */
const ROOM_BYTES = 16 * MB;
const KEPT = 40;
const LATER = { timeout: 20_000 };
const NO_DISK = 'only root can mount a disk to be filled, and not in every container';

let trial: ReturnType<typeof createAccessLogTrial>;
let mounted: string | null;
beforeEach(() => {
  trial = createAccessLogTrial();
  mkdirSync(trial.directory);
  mounted = null;
});
afterEach(async () => {
  await trial.closeLogs();
  if (mounted !== null) expect(spawnSync('umount', [mounted]).status).toBe(0);
  await trial.close();
});

/** Puts a small disk of its own in place of a directory. False: it cannot. */
function mountDisk(directory: string): boolean {
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`];
  if (spawnSync('mount', [...options, 'sallyport-test', directory]).status !== 0) return false;
  mounted = directory;
  return true;
}

const freeBytes = (): number => statfsSync(trial.directory).bavail * PAGE_BYTES;

/** Fills the disk but for so many pages. */
function fill(freePages: number): void {
  rmSync(join(trial.directory, 'fill'), { force: true });
  const { bavail } = statfsSync(trial.directory);
  try {
    writeFileSync(join(trial.directory, 'fill'), Buffer.alloc(Math.max(0, bavail - freePages) * PAGE_BYTES));
  } catch (error) {
    // What else is written at this moment may have taken the last pages: the disk is full all the same.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

it.for(['goes on', 'is stopped', 'is killed'])(
  'lines that do not fit on the disk stay in nginx’s files, and are there once when there is room: the gateway %s',
  async (what, { skip }) => {
    // It holds what the gateway keeps; nginx's log is elsewhere.
    if (!mountDisk(trial.directory)) skip(NO_DISK);
    const { file, base } = trial;
    const moved = (): string[] => readdirSync(base).filter((name) => name.startsWith('access.log.'));
    const rotateBytes = 10_000;
    let log = await trial.open({ rotateBytes });
    appendFileSync(file, entries(0, KEPT));
    await log.caughtUp();
    let end = KEPT;
    // Some pages more than are kept free, so that a part of what comes fits, now and then.
    for (const pages of [ROOM_BYTES / PAGE_BYTES + 5, ROOM_BYTES / PAGE_BYTES + 2, 2, 0]) {
      fill(pages);
      for (let turn = 0; turn < 3; turn += 1) {
        appendFileSync(file, entries(end, end + 200));
        end += 200;
        await log.caughtUp();
      }
      // A step that had begun may take a little of it.
      expect(freeBytes()).toBeGreaterThan(Math.min(pages * PAGE_BYTES, ROOM_BYTES) - MB);
    }
    if (what !== 'goes on') {
      await (what === 'is killed' ? trial.kill(log) : log.close());
      // The next one cannot store them either.
      log = await trial.open({ rotateBytes });
    }
    expect(trial.notices).toContain('log lines cannot be stored; nginx keeps them while it has room');
    rmSync(join(trial.directory, 'fill'));
    for (const key of [KEY, DOMAIN]) await expect.poll(() => paths(log, key), LATER).toEqual(numbers(0, end));
    await expect.poll(moved, LATER).toEqual([]);
    await log.close();
    expect(await paths(await trial.open())).toEqual(numbers(0, end));
  },
);

/** As nginx does it: what does not fit is lost. */
function writeUntilFull(file: string, text: string): void {
  for (let written = 0; written < DISK_BYTES; written += text.length) {
    try {
      appendFileSync(file, text);
    } catch {
      return;
    }
  }
}

it.for(['goes on', 'is started on the full disk'])(
  'a disk that nginx’s log filled has room again, and what comes then is stored: the gateway %s',
  async (what, { skip }) => {
    if (!mountDisk(trial.base)) skip(NO_DISK);
    mkdirSync(trial.directory);
    const { file } = trial;
    let log = await trial.open();
    if (what !== 'goes on') await log.close();
    // No break: not even what is read of it can be stored, or moved away.
    writeUntilFull(file, 'x'.repeat(64 * 1024));
    if (what !== 'goes on') log = await trial.open();
    await expect.poll(freeBytes, LATER).toBeGreaterThan(ROOM_BYTES);
    // There is room before the gateway hears how it came about.
    await expect
      .poll(() => trial.notices, LATER)
      .toContain('a part of nginx’s log was removed unread: there was too much of it');
    appendFileSync(file, `\n${entries(0, KEPT)}`);
    await expect.poll(() => paths(log), LATER).toEqual(numbers(0, KEPT));
  },
);

it('nginx’s log never takes more than a gigabyte, and what comes then is stored', async () => {
  const { file } = trial;
  const log = await trial.open();
  // At once, with nothing but a hole in front: it may be emptied at any moment.
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, `\n${entries(0, KEPT)}`, 1.2e9);
  closeSync(descriptor);
  await expect.poll(() => statSync(file).size, LATER).toBe(0);
  appendFileSync(file, entries(KEPT, 2 * KEPT));
  await expect.poll(() => paths(log), LATER).toEqual(numbers(KEPT, 2 * KEPT));
});
