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

/** Stores nothing, and keeps the names of the logs that it was given lines for, and of which lines were skipped. */
function createFakeWriter(): { writer: LineWriter; stored: string[]; skipped: string[] } {
  const [stored, skipped]: string[][] = [[], []];
  const writer: Pick<LineWriter, 'progress' | 'store'> = {
    progress: () => ({ files: [], heldFrom: NOTHING_HELD }),
    store: (lines, without) => {
      stored?.push(...lines.flatMap(({ names }) => names));
      skipped?.push(...without.keys());
      return new Map();
    },
  };
  return { writer: writer as LineWriter, stored: stored ?? [], skipped: skipped ?? [] };
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
  expect(stored).toEqual([]);
  known.delete('http/5');
  ingest.forgetKnown();
  ingest.round(now + 1000);
  expect(stored).toEqual(['domain/2']);
});

it('skips the lines of those who write too many, and not those of others', () => {
  const path = join(base, 'access.log');
  const { writer, stored, skipped } = createFakeWriter();
  const options = { path, rotateBytes: 1e9, mostWaitingBytes: 100_000, reopen: () => undefined };
  const ingest = createIngest(writer, { ...options, isKnown: () => true });
  const flood = rawLine('/flood', { s: '5', d: '2' }).repeat(2000);
  const quiet = rawLine('/quiet', { s: '6', d: '2' });
  writeFileSync(path, flood + quiet + flood + quiet);
  ingest.round(Date.now());
  expect(stored.filter((name) => name === 'http/6')).toHaveLength(2);
  expect(stored.filter((name) => name === 'http/5').length).toBeLessThan(1000);
  expect(skipped).toEqual(['http/5', 'domain/2']);
});
