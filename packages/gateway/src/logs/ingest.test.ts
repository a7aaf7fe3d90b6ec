import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rawLine } from '../testing/logTrial.ts';
import { createIngest } from './ingest.ts';
import { giveUpOldest } from './logFile.ts';
import { type LineWriter, NOTHING_HELD, type Progress } from './lineWriter.ts';

const WRITTEN = Date.parse('2026-11-21T12:00:00.000Z');
const LINE = rawLine('/a', { t: (WRITTEN / 1000).toFixed(3) });

/** Reads nginx's log. `stored` and `skipped` are the logs of the lines that were, one after the other. */
function readingOf(
  text: string,
  { mostWaitingBytes = 1e9, rotateBytes = 1e9, known = (_name: string): boolean => true } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-ingest-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'access.log');
  writeFileSync(path, text);
  const stored: string[] = [];
  const skipped: string[] = [];
  let progress: Progress = { files: [], heldFrom: NOTHING_HELD };
  const writer: LineWriter = {
    progress: () => progress,
    store(lines, without, next) {
      stored.push(...lines.flatMap(({ names }) => names));
      skipped.push(...without.keys());
      progress = next;
      return new Map();
    },
    forget: () => undefined,
    forgetOthers: () => undefined,
    shrink: () => undefined,
  };
  const options = { path, rotateBytes, mostWaitingBytes, isKnown: known, reopen: () => undefined };
  const ingest = createIngest(writer, options);
  onTestFinished(ingest.close);
  return { ingest, path, stored, skipped };
}

it.each([
  ['waits for older ones of other workers', WRITTEN + 100, []],
  ['is stored when none can come any more', WRITTEN + 300, ['http/5', 'domain/2']],
  [
    'is stored at once when the clock was set back, and waits for it for no hours',
    WRITTEN - 7_200_000,
    ['http/5', 'domain/2'],
  ],
])('a line %s', (_, now, expected) => {
  const { ingest, stored } = readingOf(LINE);
  ingest.round(now);
  expect(stored.toSorted()).toEqual(expected.toSorted());
});

it('stores nothing for what was removed while its lines waited for older ones', () => {
  const known = new Set(['http/5', 'domain/2']);
  const { ingest, stored } = readingOf(LINE, { known: (name) => known.has(name) });
  ingest.round(WRITTEN);
  expect(stored).toEqual([]);
  known.delete('http/5');
  ingest.forgetKnown();
  ingest.round(WRITTEN + 1000);
  expect(stored).toEqual(['domain/2']);
});

it('skips the lines of those who write too many, and not those of others', () => {
  const flood = rawLine('/flood', { s: '5', d: '2' }).repeat(2000);
  const quiet = rawLine('/quiet', { s: '6', d: '2' });
  const { ingest, stored, skipped } = readingOf(flood + quiet + flood + quiet, { mostWaitingBytes: 100_000 });
  ingest.round(WRITTEN);
  expect(stored.filter((name) => name === 'http/6')).toHaveLength(2);
  expect(stored.filter((name) => name === 'http/5').length).toBeLessThan(1000);
  expect(skipped.toSorted()).toEqual(['domain/2', 'http/5']);
});

it('moves a log away while it skips lines, however much comes', () => {
  const { ingest, path, skipped } = readingOf(LINE.repeat(100_000), { mostWaitingBytes: 1e6, rotateBytes: 1e6 });
  ingest.round(WRITTEN);
  expect(existsSync(path)).toBe(false);
  expect(statSync(`${path}.reading-1`).size).toBeGreaterThan(10e6);
  expect(skipped.toSorted()).toEqual(['domain/2', 'http/5']);
});

it('gives up nginx’s log, the oldest of it first', () => {
  const { path } = readingOf('b'.repeat(300));
  writeFileSync(`${path}.reading-9`, 'a'.repeat(200));
  writeFileSync(`${path}.reading-10`, 'a'.repeat(100));
  writeFileSync(`${path}.old`, 'a'.repeat(1000));
  const sizes = (): number[] => ['.reading-9', '.reading-10', '', '.old'].map((end) => statSync(path + end).size);
  expect(giveUpOldest(path, 600)).toBe(0);
  expect(giveUpOldest(path, 500)).toBe(200);
  expect(sizes()).toEqual([0, 100, 300, 1000]);
  expect(giveUpOldest(path, 100)).toBe(400);
  expect(sizes()).toEqual([0, 0, 0, 1000]);
});
