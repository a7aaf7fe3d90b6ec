import { isAscii } from 'node:buffer';

/** One line of a file, without its line break. `end` is the offset behind the break; a cut line lost its end. */
export type RawLine = { text: string; end: number; cut: boolean };

export const LONGEST_RAW_LINE = 64 * 1024;
const LINE_BREAK = 0x0a;

/**
 * Cuts what is read of a file into whole lines. It keeps bytes until their line is whole, so no character is torn, and
 * never more than 64 KiB of them: of a longer line it hands out the beginning.
 */
export type LineSplitter = {
  push(chunk: Buffer): RawLine[];
  /** The offset up to which it has been given the file. */
  offset(): number;
  /** The offset behind the last whole line. */
  lineEnd(): number;
};

export function createLineSplitter(startOffset: number, skipFirst: boolean): LineSplitter {
  let offset = startOffset;
  let lineEnd = startOffset;
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let tooLong = false;
  let skipping = skipFirst;

  const keep = (part: Buffer): void => {
    const room = LONGEST_RAW_LINE - keptBytes;
    if (part.length > room) tooLong = true;
    if (room <= 0 || part.length === 0) return;
    // A copy, because the reader uses its buffer again.
    const piece = Buffer.from(part.subarray(0, room));
    kept.push(piece);
    keptBytes += piece.length;
  };

  const finish = (end: number): RawLine => {
    const line = { text: Buffer.concat(kept, keptBytes).toString('utf8'), end, cut: tooLong };
    kept = [];
    keptBytes = 0;
    tooLong = false;
    return line;
  };

  return {
    push: (chunk) => {
      const lines: RawLine[] = [];
      // Taking a chunk that is all ASCII apart as one text is far cheaper than making a text of each line's bytes.
      const ascii = isAscii(chunk) ? chunk.toString('latin1') : null;
      let from = 0;
      for (let at = chunk.indexOf(LINE_BREAK); at !== -1; at = chunk.indexOf(LINE_BREAK, from)) {
        const end = offset + at + 1;
        if (skipping) {
          skipping = false;
        } else if (keptBytes === 0 && !tooLong && at - from <= LONGEST_RAW_LINE) {
          const text = ascii === null ? chunk.toString('utf8', from, at) : ascii.slice(from, at);
          lines.push({ text, end, cut: false });
        } else {
          keep(chunk.subarray(from, at));
          lines.push(finish(end));
        }
        from = at + 1;
        lineEnd = end;
      }
      if (!skipping) keep(chunk.subarray(from));
      offset += chunk.length;
      return lines;
    },
    offset: () => offset,
    lineEnd: () => lineEnd,
  };
}
