import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DOMAIN, KEY, SOON, createAccessLogTrial, entries, numbers, paths } from '../testing/accessLogTrial.ts';
import type { AccessLog } from './accessLog.ts';

let trial: ReturnType<typeof createAccessLogTrial>;
let base: string;
let file: string;
let directory: string;
let open: typeof trial.open;
let kill: typeof trial.kill;
beforeEach(() => {
  trial = createAccessLogTrial();
  ({ base, file, directory, open, kill } = trial);
});
afterEach(() => trial.close());

describe('a history that cannot be opened or written', () => {
  it('doubles nothing of a log that cannot be opened while its lines come again', async () => {
    writeFileSync(file, entries(0, 50));
    await (await open()).close();
    const checkpoint = join(directory, 'checkpoint.json');
    const before = readFileSync(checkpoint);
    appendFileSync(file, entries(50, 100));
    await (await open()).close();
    writeFileSync(checkpoint, before);
    renameSync(join(directory, 'domain'), join(base, 'aside'));
    writeFileSync(join(directory, 'domain'), '');
    const log = await open();
    expect(await paths(log, KEY)).toEqual(numbers(0, 100));
    appendFileSync(file, entries(100, 110));
    await log.caughtUp();
    rmSync(join(directory, 'domain'));
    renameSync(join(base, 'aside'), join(directory, 'domain'));
    for (const key of [KEY, DOMAIN]) expect(await paths(log, key)).toEqual(numbers(0, 110));
  });

  describe.each([
    ['before anything was kept', 0],
    ['after some lines were kept', 50],
  ])('%s', (_, kept) => {
    const rotateBytes = 1000;
    /** What nginx's files hold, under whatever names they have. */
    const written = (): string =>
      readdirSync(base)
        .filter((name) => name.startsWith('access.log'))
        .map((name) => readFileSync(join(base, name), 'utf8'))
        .join('');
    const missing = (): string[] => numbers(kept, kept + 300).filter((path) => !written().includes(`GET ${path} `));

    it.each([
      ['all logs fail, and it goes on', '.', (log: AccessLog) => Promise.resolve(log)],
      ['one log fails, and it goes on', 'domain', (log: AccessLog) => Promise.resolve(log)],
      ['all logs fail, and the next gateway goes on', '.', stopAndOpen],
      ['one log fails, and the next gateway goes on', 'domain', stopAndOpen],
      ['all logs fail, and it is killed', '.', killAndOpen],
      ['one log fails, and it is killed', 'domain', killAndOpen],
    ])('leaves what was moved away where it is until it is kept: %s', async (_case, place, next) => {
      const log = await open({ rotateBytes });
      if (kept > 0) {
        appendFileSync(file, entries(0, kept));
        await log.caughtUp();
        // A reader makes them be written.
        for (const key of [KEY, DOMAIN]) await paths(log, key);
      }
      // A file stands where a directory is needed.
      const obstructed = join(directory, place);
      const aside = join(base, 'aside');
      if (existsSync(obstructed)) renameSync(obstructed, aside);
      writeFileSync(obstructed, '');
      for (let round = kept; round < kept + 300; round += 100) {
        appendFileSync(file, entries(round, round + 100));
        // The first moves it away, the second would remove it.
        for (let look = 0; look < 2; look += 1) await log.caughtUp();
      }
      expect(trial.reopened()).toBeGreaterThan(2);
      expect(missing()).toEqual([]);
      const later = await next(log);
      expect(missing()).toEqual([]);

      rmSync(obstructed);
      if (existsSync(aside)) renameSync(aside, obstructed);
      appendFileSync(file, entries(kept + 300, kept + 301));
      await later.caughtUp();
      for (const key of [KEY, DOMAIN]) expect(await paths(later, key)).toEqual(numbers(0, kept + 301));
      await expect.poll(() => written().length, SOON).toBeLessThan(entries(0, 100).length);
      await later.close();
      const last = await open();
      for (const key of [KEY, DOMAIN]) expect(await paths(last, key)).toEqual(numbers(0, kept + 301));
    });

    async function stopAndOpen(log: AccessLog): Promise<AccessLog> {
      await log.close();
      return open({ rotateBytes });
    }
    async function killAndOpen(log: AccessLog): Promise<AccessLog> {
      await kill(log);
      return open({ rotateBytes });
    }
  });
});
