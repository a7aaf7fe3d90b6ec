import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LogEntry } from './logEntry.ts';
import { createLogReaders, type LogReaders } from './logReader.ts';
import { rawLine } from '../testing/logTrial.ts';

let directory: string;
let readers: LogReaders;
/** Whose file was opened to be read, each time. */
let opened: number[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-reader-'));
  readers = createLogReaders({
    write: () => undefined,
    failed(error) {
      throw error;
    },
  });
  opened = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A log of one file with some megabytes. */
function filled(id: number): LogEntry {
  const file = join(directory, String(id));
  writeFileSync(file, rawLine(`/${'x'.repeat(500)}`).repeat(4000));
  const end = { segment: 1, offset: statSync(file).size };
  const path = (): string => {
    opened.push(id);
    return file;
  };
  const segments = { first: () => 1, end: () => end, endId: () => 'end', path } as unknown as LogEntry['segments'];
  return { key: { kind: 'http', id }, segments, pending: [], listeners: new Set() };
}

/** Begins to read each log, and waits until all have their history. */
async function readHistories(entries: readonly LogEntry[]): Promise<void> {
  const open = await Promise.all(entries.map((entry) => readers.open(entry, { count: 10_000, afterId: null })));
  opened = [];
  const stops: (() => void)[] = [];
  const histories = open.map(
    (reader) =>
      new Promise((push, failed) => {
        const end = (): void => failed(new Error('the reader was sent away'));
        stops.push(reader.read({ push, room: () => null, end }));
      }),
  );
  await Promise.all(histories);
  stops.forEach((stop) => stop());
}

it('many histories are read one after the other, so that only one takes memory while it is made', async () => {
  await readHistories([filled(1), filled(2), filled(3)]);
  expect(opened.length).toBeGreaterThan(6);
  expect(opened).toEqual(opened.toSorted((a, b) => a - b));
});
