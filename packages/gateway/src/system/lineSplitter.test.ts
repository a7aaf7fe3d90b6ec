import { array, assert, nat, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter, LONGEST_RAW_LINE } from './lineSplitter.ts';

describe('createLineSplitter', () => {
  it('gives the same lines and offsets however the bytes are cut up', () => {
    const lineText = string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\n', ''));
    assert(
      property(array(lineText), array(nat({ max: 9 })), (lines, sizes) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const splitter = createLineSplitter(100, false);
        const found = [];
        let at = 0;
        for (const size of [...sizes, bytes.length]) {
          found.push(...splitter.push(bytes.subarray(at, at + size)));
          at = Math.min(bytes.length, at + size);
        }
        expect(found.map(({ text }) => text)).toEqual(lines.map((line) => Buffer.from(line).toString()));
        let end = 100;
        for (const [index, line] of lines.entries()) {
          end += Buffer.byteLength(line) + 1;
          expect(found[index]?.end).toBe(end);
        }
        expect(splitter.offset()).toBe(100 + bytes.length);
      }),
    );
  });

  it('never gives half a line', () => {
    const splitter = createLineSplitter(0, false);
    expect(splitter.push(Buffer.from('half'))).toEqual([]);
    expect(splitter.push(Buffer.from(' a line\nnext'))).toEqual([{ text: 'half a line', end: 12, cut: false }]);
  });

  it('can leave out the rest of a line', () => {
    expect(createLineSplitter(7, true).push(Buffer.from('rest\nline\n'))).toEqual([
      { text: 'line', end: 17, cut: false },
    ]);
  });

  it('keeps no more than 64 KiB of a line, whole or in pieces, and goes on behind it', () => {
    const long = Buffer.from(`${'a'.repeat(LONGEST_RAW_LINE + 5)}\nshort\n`);
    const pieces = createLineSplitter(0, false);
    const inPieces = [long.subarray(0, 70_000 - 4500), long.subarray(70_000 - 4500)].flatMap((piece) =>
      pieces.push(piece),
    );
    for (const lines of [createLineSplitter(0, false).push(long), inPieces]) {
      expect(lines.map(({ text, cut, end }) => [text.length, cut, end])).toEqual([
        [LONGEST_RAW_LINE, true, LONGEST_RAW_LINE + 6],
        [5, false, LONGEST_RAW_LINE + 12],
      ]);
    }
  });
});
