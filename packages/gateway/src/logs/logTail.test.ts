import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, asyncProperty, nat, string } from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LONGEST_RAW_LINE } from './keptLines.ts';
import { createLogTail, type LogTail } from './logTail.ts';
import { createReadBuffer } from './readBuffer.ts';

let directory: string;
let file: string;
let tails: LogTail[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-tail-'));
  file = join(directory, 'access.log');
  tails = [];
});
afterEach(async () => {
  for (const tail of tails) await tail.close();
  rmSync(directory, { recursive: true, force: true });
});

const buffer = createReadBuffer(128 * 1024);
const openTail = async (offset = 0): Promise<LogTail> => {
  const tail = createLogTail(await open(file), 1, { serial: 1, offset });
  tails.push(tail);
  return tail;
};
/** What can be read now: the lines, and where the last ends. */
const read = (tail: LogTail): { text: string; end: number }[] =>
  Array.from(
    tail.read(buffer, () => 2),
    ({ bytes, end }) => ({ text: bytes.toString(), end }),
  );

it('gives the same lines and offsets however the bytes were written', async () => {
  const lineText = string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\n', ''));
  await assert(
    asyncProperty(array(lineText), array(nat({ max: 9 })), async (lines, sizes) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      writeFileSync(file, '');
      const tail = await openTail();
      let found = '';
      let at = 0;
      for (const size of [...sizes, bytes.length]) {
        appendFileSync(file, bytes.subarray(at, at + size));
        at = Math.min(bytes.length, at + size);
        for (const { text, end } of read(tail)) {
          expect(text.at(-1)).toBe('\n');
          found += text;
          expect(end).toBe(Buffer.byteLength(found));
        }
      }
      expect(found).toBe(bytes.toString());
      expect([tail.size(), tail.place().offset]).toEqual([bytes.length, bytes.length]);
    }),
    { numRuns: 50 },
  );
});

it('never gives half a line, and reads it again from its beginning after a restart', async () => {
  writeFileSync(file, 'half');
  const tail = await openTail();
  expect(read(tail)).toEqual([]);
  appendFileSync(file, ' a line\nnext');
  expect(read(tail)).toEqual([{ text: 'half a line\n', end: 12 }]);
  appendFileSync(file, ' line\n');
  expect(read(await openTail(tail.place().offset))).toEqual([{ text: 'next line\n', end: 22 }]);
});

it('keeps no more than the beginning of a line that is longer than what is read at once, and goes on behind it', async () => {
  const long = 'a'.repeat(1_000_000);
  writeFileSync(file, `first\n${long}\nshort\n${long}`);
  const tail = await openTail();
  const shown = (): [string, number][] =>
    read(tail).map(({ text, end }) => [text.length > 10 ? `${text.length} bytes${text.slice(-1)}` : text, end]);
  const cut = `${LONGEST_RAW_LINE + 2} bytes\n`;
  expect(shown()).toEqual([
    ['first\n', 6],
    [cut, 1_000_007],
    ['short\n', 1_000_013],
  ]);
  // The next start needs its beginning.
  expect(tail.place().offset).toBe(1_000_013);
  appendFileSync(file, 'a\nlast\n');
  expect(shown()).toEqual([
    [cut, 2_000_015],
    ['last\n', 2_000_020],
  ]);
});
