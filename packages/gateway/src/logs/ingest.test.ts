import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rawLine } from '../testing/logTrial.ts';
import { createIngest } from './ingest.ts';
import { type LineWriter, NOTHING_HELD, type Progress } from './lineWriter.ts';

const WRITTEN = Date.parse('2026-11-21T12:00:00.000Z');

/** Reads one line that was written at `WRITTEN`; how many are stored when the clock says `now`. */
function storedAt(now: number): number {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-ingest-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'access.log');
  writeFileSync(path, rawLine('/a', { t: (WRITTEN / 1000).toFixed(3) }));
  let stored = 0;
  let progress: Progress = { files: [], heldFrom: NOTHING_HELD };
  const writer: LineWriter = {
    progress: () => progress,
    store(lines, _skipped, next) {
      stored += lines.length;
      progress = next;
      return new Map();
    },
    forget: () => undefined,
    forgetOthers: () => undefined,
    shrink: () => undefined,
  };
  const limits = { rotateBytes: 1e9, mostWaitingBytes: 1e9 };
  const ingest = createIngest(writer, { path, ...limits, isKnown: () => true, reopen: () => undefined });
  onTestFinished(ingest.close);
  ingest.round(now);
  return stored;
}

it.each([
  ['waits for older ones of other workers', WRITTEN + 100, 0],
  ['is stored when none can come any more', WRITTEN + 300, 1],
  ['is stored at once when the clock was set back, and waits for it for no hours', WRITTEN - 7_200_000, 1],
])('a line %s', (_, now, stored) => {
  expect(storedAt(now)).toBe(stored);
});
