import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rawLine } from '../testing/logTrial.ts';
import { createIngest } from './ingest.ts';
import { type LineWriter, NOTHING_HELD, type Progress } from './lineWriter.ts';

const WRITTEN = Date.parse('2026-11-21T12:00:00.000Z');
const LINE = rawLine('/a', { t: (WRITTEN / 1000).toFixed(3) });

/** Reads nginx's log. `stored` and `skipped` are the logs of the lines that were, one after the other. */
function readingOf(text: string, { mostWaitingBytes = 1e9, known = (_name: string): boolean => true } = {}) {
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
  const options = { path, rotateBytes: 1e9, mostWaitingBytes, isKnown: known, reopen: () => undefined };
  const ingest = createIngest(writer, options);
  onTestFinished(ingest.close);
  return { ingest, stored, skipped };
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
