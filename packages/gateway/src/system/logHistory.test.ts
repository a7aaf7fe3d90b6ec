import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, boolean, nat, property, record } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LogHistory, openLogHistory } from './logHistory.ts';
import { logId } from './logId.ts';
import { openLogSegments } from './logSegments.ts';
import { readLog } from './logTrial.ts';

const KEY = { kind: 'tcp', id: 7 } as const;
const SERIAL = 3;
const MB = 1_000_000;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-history-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (mostBytes = MB): LogHistory =>
  openLogHistory({
    directory,
    mostBytes,
    isKnown: () => true,
    notices: { info: () => undefined, warn: () => undefined },
  });
/** Adds lines whose texts are their numbers and so many characters. */
const add = (history: LogHistory, from: number, to: number, filler = ''): void =>
  history.add(
    SERIAL,
    Array.from({ length: to - from }, (_, index) => ({
      names: ['tcp/7'],
      end: from + index,
      text: `${from + index}${filler}`,
    })),
  );
const numbers = (texts: readonly string[]): number[] => texts.map((text) => Number.parseInt(text, 10));
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
    // Eight megabytes and more: several files.
    add(history, 0, 9000, 'x'.repeat(1000));
    history.flush();
    expect(files().length).toBeGreaterThan(2);
    for (const [count, first] of [
      [10, 8990],
      [1, 8999],
      [0, 9000],
    ] as const) {
      const reader = await readLog(history, KEY, { count });
      await expect.poll(() => reader.batches.length).toBe(1);
      expect(numbers(reader.batches[0] ?? [])).toEqual(range(first, 9000));
      expect(reader.lastId()).toBe(logId({ serial: SERIAL, end: 8999 }));
    }
    const all = await readLog(history, KEY, { count: 9000 });
    await expect.poll(() => all.batches.length).toBe(1);
    const size = JSON.stringify(all.batches[0]).length;
    expect([size < 2.5 * MB, size > 1.5 * MB, numbers(all.texts()).at(-1)]).toEqual([true, true, 8999]);
    const id = logId({ serial: SERIAL, end: 17 });
    const resumed = await readLog(history, KEY, { count: 1, afterId: id });
    await expect.poll(() => resumed.texts().length).toBe(9000 - 18);
    expect([resumed.resumed, numbers(resumed.texts())]).toEqual([true, range(18, 9000)]);
  });

  it('does not know a line any more that was dropped', async () => {
    const history = open();
    add(history, 0, 30_000, 'x'.repeat(80));
    history.flush();
    const reader = await readLog(history, KEY, { count: 5, afterId: logId({ serial: SERIAL, end: 10 }) });
    expect(reader.resumed).toBe(false);
    expect((await readLog(history, KEY, { afterId: '0' })).resumed).toBe(false);
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
  it('hold whole lines in order, whatever was torn off when the gateway was killed', () => {
    const step = record({ lines: array(nat({ max: 40 }), { maxLength: 30 }), torn: nat({ max: 60 }), kill: boolean() });
    const bound = 600;
    assert(
      property(array(step, { maxLength: 20 }), (steps) => {
        rmSync(join(directory, 'one'), { recursive: true, force: true });
        let segments = openLogSegments(join(directory, 'one'), bound);
        let count = 0;
        for (const { lines, torn, kill } of steps) {
          const text = lines.map((length) => `${(count += 1)} ${'y'.repeat(length)}\n`).join('');
          expect(segments.append(Buffer.from(text))).toEqual({ written: text.length, error: null });
          const { segment, offset } = segments.end();
          if (!kill) continue;
          if (offset > 0) truncateSync(segments.path(segment), Math.max(0, offset - torn));
          segments = openLogSegments(join(directory, 'one'), bound);
        }
        const kept = [...segments.backwards()].map((line) => Number.parseInt(line, 10));
        expect(kept).toEqual(kept.toSorted((a, b) => b - a));
        expect(new Set(kept).size).toBe(kept.length);
        for (const line of segments.backwards()) expect(line).toMatch(/^\d+ y*$/);
      }),
      { numRuns: 60 },
    );
  });
});
