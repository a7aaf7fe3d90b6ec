import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, boolean, constantFrom, nat, property, record } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LogHistory, openLogHistory } from './logHistory.ts';
import { pathsIn, rawLine, readLog } from '../testing/logTrial.ts';

const KEY = { kind: 'tcp', id: 7 } as const;
const SERIAL = 3;
const MB = 1_000_000;

let directory: string;
/** How long nginx's file is. */
let written: number;
let notices: string[];
beforeEach(() => {
  written = 0;
  notices = [];
  directory = mkdtempSync(join(tmpdir(), 'sallyport-history-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (mostBytes = MB): LogHistory =>
  openLogHistory({
    directory,
    mostBytes,
    isKnown: () => true,
    notices: { info: (_, text) => notices.push(text), warn: (_, text) => notices.push(text) },
  });
/** Adds lines whose paths are their numbers and so many characters, as the next of nginx's file. */
const add = (history: LogHistory, from: number, to: number, filler = ''): void => {
  const lines = range(from, to).map((number) => rawLine(`/${number}${filler}`, { d: '', s: '7', k: 'tcp' }));
  const bytes = Buffer.from(lines.join(''));
  written += bytes.length;
  history.add(SERIAL, { bytes, end: written });
};
const numbers = (texts: readonly string[]): number[] =>
  pathsIn(texts).map((path) => Number.parseInt(path.slice(1), 10));
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const files = (): string[] => readdirSync(join(directory, 'tcp', '7')).map((name) => join(directory, 'tcp', '7', name));
const keptBytes = (): number => files().reduce((sum, file) => sum + statSync(file).size, 0);

describe('the history of a log', () => {
  it('never takes more than its bound, keeps most of it, and drops the oldest lines', async () => {
    const history = open();
    for (let round = 0; round < 300; round += 1) {
      add(history, round * 100, round * 100 + 100, 'x'.repeat(80));
      history.flush();
      expect(keptBytes()).toBeLessThanOrEqual(MB);
    }
    expect(keptBytes()).toBeGreaterThan(0.7 * MB);
    const reader = await readLog(history, KEY);
    await expect.poll(() => reader.batches.length).toBe(1);
    const [first = 0] = numbers(reader.texts());
    expect(numbers(reader.texts())).toEqual(range(first, 30_000));
    for (const file of files()) expect(readFileSync(file, 'utf8').at(-1)).toBe('\n');
  });

  it('begins with the last lines wherever they are, and with no more than fit into one event', async () => {
    const history = open(40 * MB);
    add(history, 0, 18, 'x'.repeat(1000));
    const early = await readLog(history, KEY);
    await expect.poll(() => early.batches.length).toBe(1);
    early.stop();
    // Eight megabytes and more: several files.
    add(history, 18, 9000, 'x'.repeat(1000));
    const ids = new Set<string>();
    expect(files().length).toBeGreaterThan(2);
    for (const [count, first] of [
      [10, 8990],
      [1, 8999],
      [0, 9000],
    ] as const) {
      const reader = await readLog(history, KEY, { count });
      await expect.poll(() => reader.batches.length).toBe(1);
      expect(numbers(reader.batches[0] ?? [])).toEqual(range(first, 9000));
      ids.add(reader.lastId());
    }
    const all = await readLog(history, KEY, { count: 9000 });
    await expect.poll(() => all.batches.length).toBe(1);
    const size = JSON.stringify(all.batches[0]).length;
    expect([size < 1.25 * MB, size > 0.9 * MB, numbers(all.texts()).at(-1)]).toEqual([true, true, 8999]);
    expect([...ids]).toEqual([all.lastId()]);
    const resumed = await readLog(history, KEY, { count: 1, afterId: early.lastId() });
    await expect.poll(() => resumed.texts().length).toBe(9000 - 18);
    expect([resumed.resumed, numbers(resumed.texts())]).toEqual([true, range(18, 9000)]);
  });

  it('does not know a line any more that was dropped', async () => {
    const history = open();
    add(history, 0, 10);
    const early = await readLog(history, KEY);
    await expect.poll(() => early.batches.length).toBe(1);
    early.stop();
    const afterId = early.lastId();
    expect((await readLog(history, KEY, { count: 5, afterId })).resumed).toBe(true);
    add(history, 10, 30_000, 'x'.repeat(80));
    expect((await readLog(history, KEY, { count: 5, afterId })).resumed).toBe(false);
    expect((await readLog(history, KEY, { afterId: '0' })).resumed).toBe(false);
  });
});

describe('lines that cannot be written', () => {
  it('are given up when they are too many, which is not said to be written', () => {
    const history = open(40 * MB);
    writeFileSync(join(directory, 'tcp'), '');
    for (let from = 0; from < 400; from += 10) add(history, from, from + 10, 'x'.repeat(60_000));
    expect(notices).toEqual([
      'log lines cannot be written to disk; they are shown all the same',
      'log lines that could not be written to disk were given up',
    ]);
    rmSync(join(directory, 'tcp'));
    expect(history.flush()).toBe(true);
    expect(notices.at(-1)).toBe('log lines are written to disk again');
  });
});

describe('a slow reader', () => {
  it('reads from disk what came meanwhile, and then what comes', async () => {
    const history = open();
    add(history, 0, 10);
    const reader = await readLog(history, KEY);
    await expect.poll(() => reader.batches.length).toBe(1);
    add(history, 10, 20);
    reader.hold();
    for (let from = 20; from < 5000; from += 20) add(history, from, from + 20);
    // One batch fills it; the rest waits on disk.
    expect(numbers(reader.texts())).toEqual(range(0, 40));
    reader.take();
    await expect.poll(() => reader.texts().length).toBe(5000);
    add(history, 5000, 5010);
    expect(numbers(reader.texts())).toEqual(range(0, 5010));
    reader.stop();
    add(history, 5010, 5020);
    expect(reader.texts().length).toBe(5010);
  });

  it('is let go of when what it should read next is dropped', async () => {
    const history = open();
    const reader = await readLog(history, KEY);
    await expect.poll(() => reader.batches.length).toBe(1);
    reader.hold();
    add(history, 0, 10);
    for (let from = 10; from < 30_000; from += 100) {
      add(history, from, from + 100, 'x'.repeat(80));
      history.flush();
    }
    expect(reader.ended()).toBe(false);
    reader.take();
    await expect.poll(reader.ended).toBe(true);
    expect(numbers(reader.texts())).toEqual(range(0, 10));
  });

  it('is waited for while it takes lines, never for long, and not when it is stuck', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const history = open();
      const reader = await readLog(history, KEY);
      await vi.waitUntil(() => reader.batches.length === 1);
      expect(history.room()).toBeNull();
      reader.hold();
      add(history, 0, 10);
      await vi.waitUntil(() => history.room() !== null);
      const [taken, waited] = [vi.fn<() => void>(), vi.fn<() => void>()];
      void history.room()?.then(waited);
      vi.advanceTimersByTime(100);
      await Promise.resolve();
      expect(waited).toHaveBeenCalledTimes(1);
      void history.room()?.then(taken);
      reader.take();
      await vi.waitUntil(() => history.room() === null);
      expect(taken).toHaveBeenCalledTimes(1);
      reader.hold();
      add(history, 10, 20);
      await vi.waitUntil(() => history.room() !== null);
      vi.advanceTimersByTime(2000);
      expect(history.room()).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the files of a log', () => {
  it('hold each line once and in order, whatever was torn off when the gateway was killed', () => {
    const names = ['tcp/7', 'tcp/8', 'domain/2'] as const;
    // How long a line is, and whose: a piece may hold lines of several by turns.
    const line = record({ length: nat({ max: 60 }), s: constantFrom('7', '8'), d: constantFrom('', '2') });
    const step = record({ lines: array(line, { maxLength: 30 }), torn: nat({ max: 400 }), kill: boolean() });
    const bound = 4000;
    assert(
      property(array(step, { maxLength: 20 }), (steps) => {
        rmSync(directory, { recursive: true, force: true });
        let history = open(bound);
        let log = '';
        let read = 0;
        const expected = new Map<string, string[]>(names.map((name) => [name, []]));
        for (const { lines, torn, kill } of steps) {
          for (const { length, s, d } of lines) {
            const text = rawLine(`/${expected.get('tcp/7')?.length}-${log.length}${'y'.repeat(length)}`, {
              s,
              d,
              k: 'tcp',
            });
            log += text;
            for (const name of [`tcp/${s}`, `domain/${d}`]) expected.get(name)?.push(text);
          }
          history.add(SERIAL, { bytes: Buffer.from(log.slice(read)), end: log.length });
          read = log.length;
          if (!kill) continue;
          // The write of each log may have been cut short, and all of them may have to be read again.
          for (const name of names) tear(join(directory, name), torn);
          history = open(bound);
          history.expectRepeats(SERIAL);
          history.add(SERIAL, { bytes: Buffer.from(log), end: log.length });
        }
        for (const name of names) {
          const kept = keptText(join(directory, name));
          expect(expected.get(name)?.join('').endsWith(kept)).toBe(true);
          expect(kept.length).toBeGreaterThan(Math.min(bound / 2, (expected.get(name)?.join('').length ?? 0) - 1));
        }
      }),
      { numRuns: 60 },
    );
  });
});

const segmentsIn = (log: string): string[] =>
  (existsSync(log) ? readdirSync(log) : [])
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => join(log, name));

/** Takes the end of the newest file away, but nothing of what was written before the last time. */
function tear(log: string, bytes: number): void {
  const newest = segmentsIn(log).at(-1);
  if (newest === undefined) return;
  const text = readFileSync(newest, 'utf8');
  truncateSync(newest, Math.max(0, text.length - bytes));
}

/** The kept lines, without what tells that they were written. */
const keptText = (log: string): string =>
  segmentsIn(log)
    .map((file) => readFileSync(file, 'utf8').replaceAll(/^#.*\n/gm, ''))
    .join('');
