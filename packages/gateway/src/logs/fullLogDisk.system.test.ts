import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAccessLogTrial, DOMAIN, entries, KEY, numbers, paths } from '../testing/logTrial.ts';

const PAGE_BYTES = 4096;
const DISK_BYTES = 8 * 1024 * 1024;
const KEPT = 40;
const LATER = { timeout: 20_000 };

let trial: ReturnType<typeof createAccessLogTrial>;
/** A small disk of its own, which holds what the gateway keeps; nginx's log is elsewhere. */
let isMounted: boolean;
beforeEach(() => {
  trial = createAccessLogTrial();
  mkdirSync(trial.directory);
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`];
  isMounted = spawnSync('mount', [...options, 'sallyport-test', trial.directory]).status === 0;
});
afterEach(async () => {
  await trial.closeLogs();
  if (isMounted) expect(spawnSync('umount', [trial.directory]).status).toBe(0);
  await trial.close();
});

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
    if (!isMounted) skip('only root can mount a disk to be filled, and not in every container');
    const { file, base } = trial;
    const moved = (): string[] => readdirSync(base).filter((name) => name.startsWith('access.log.'));
    const rotateBytes = 10_000;
    let log = await trial.open({ rotateBytes });
    appendFileSync(file, entries(0, KEPT));
    await log.caughtUp();
    let end = KEPT;
    // Some pages are left, so that a part of what comes fits, now and then.
    for (const pages of [5, 2, 0]) {
      fill(pages);
      for (let turn = 0; turn < 3; turn += 1) {
        appendFileSync(file, entries(end, end + 200));
        end += 200;
        await log.caughtUp();
      }
    }
    if (what !== 'goes on') {
      await (what === 'is killed' ? trial.kill(log) : log.close());
      // The next one cannot store them either.
      log = await trial.open({ rotateBytes });
    }
    expect(trial.notices).toContain('log lines cannot be stored; nginx keeps them until they can');
    rmSync(join(trial.directory, 'fill'));
    for (const key of [KEY, DOMAIN]) await expect.poll(() => paths(log, key), LATER).toEqual(numbers(0, end));
    await expect.poll(moved, LATER).toEqual([]);
    await log.close();
    expect(await paths(await trial.open())).toEqual(numbers(0, end));
  },
);
