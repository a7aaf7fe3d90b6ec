import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LineKey } from '../world.ts';
import { type AccessLog, type AccessLogOptions, openAccessLog } from './accessLog.ts';
import { pathsIn, rawLine as entry, readLog } from '../testing/logTrial.ts';

const KEY: LineKey = { kind: 'http', id: 5 };
const DOMAIN: LineKey = { kind: 'domain', id: 2 };
const SOON = { timeout: 3000 };

let base: string;
let file: string;
let directory: string;
let opened: AccessLog[];
let reopened: number;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-log-'));
  file = join(base, 'access.log');
  directory = join(base, 'kept');
  opened = [];
  reopened = 0;
});
afterEach(async () => {
  for (const log of opened) await log.close();
  rmSync(base, { recursive: true, force: true });
});

const open = async (options: Partial<AccessLogOptions> = {}): Promise<AccessLog> => {
  const log = await openAccessLog({
    path: file,
    directory,
    historyBytes: 10_000_000,
    isKnown: () => true,
    reopenLogs: () => {
      reopened += 1;
      // As nginx does it: the name leads to a file again.
      appendFileSync(file, '');
      return Promise.resolve();
    },
    notices: { info: () => undefined, warn: () => undefined },
    ...options,
  });
  opened.push(log);
  await log.caughtUp();
  return log;
};
const entries = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => entry(`/${from + index}`)).join('');
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `/${from + index}`);
const paths = async (log: AccessLog, key: LineKey): Promise<string[]> => {
  const reader = await readLog(log, key);
  await expect.poll(() => reader.batches.length, SOON).toBeGreaterThan(0);
  reader.stop();
  return pathsIn(reader.texts());
};
/** Ends a log so that what it keeps is left as a kill would leave it at this moment. */
const kill = async (log: AccessLog): Promise<void> => {
  cpSync(directory, `${directory}-left`, { recursive: true });
  await log.close();
  rmSync(directory, { recursive: true });
  renameSync(`${directory}-left`, directory);
};

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
      expect(reopened).toBeGreaterThan(2);
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
