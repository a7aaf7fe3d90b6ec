import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rawLine } from '../testing/logTrial.ts';
import { createIngest } from './ingest.ts';
import { type LineWriter, NOTHING_HELD } from './lineWriter.ts';

let base: string;
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), 'sallyport-ingest-'))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Stores nothing, and keeps the names of the logs that it was given lines for. */
function createFakeWriter(): { writer: LineWriter; stored: string[][] } {
  const stored: string[][] = [];
  const writer: Pick<LineWriter, 'progress' | 'store'> = {
    progress: () => ({ files: [], heldFrom: NOTHING_HELD }),
    store: (lines, skipped) => {
      stored.push([...lines.flatMap(({ names }) => names), ...skipped.keys()]);
      return new Map();
    },
  };
  return { writer: writer as LineWriter, stored };
}

it('stores nothing for what was removed while its lines waited for older ones', () => {
  const now = Date.now();
  const path = join(base, 'access.log');
  const known = new Set(['http/5', 'domain/2']);
  const { writer, stored } = createFakeWriter();
  const options = { path, rotateBytes: 1e9, mostWaitingBytes: 1e9, reopen: () => undefined };
  const ingest = createIngest(writer, { ...options, isKnown: (name) => known.has(name) });
  writeFileSync(path, rawLine('/held', { t: (now / 1000).toFixed(3) }));
  ingest.round(now);
  expect(stored.flat()).toEqual([]);
  known.delete('http/5');
  ingest.forgetKnown();
  ingest.round(now + 1000);
  expect(stored.flat()).toEqual(['domain/2']);
});
