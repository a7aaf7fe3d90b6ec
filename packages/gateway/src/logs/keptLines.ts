import { isAscii } from 'node:buffer';
import { readAccessLine, readCutAccessLine } from './accessLine.ts';
import { COMMIT_MARK } from './logCommit.ts';

const LINE_BREAK = 0x0a;

/** What is kept of a line at most, without its break. Of a longer one the beginning is kept and one byte more. */
export const LONGEST_RAW_LINE = 64 * 1024;

/** Makes readable lines of whole lines as nginx wrote them and as they are kept; what is not one is left out. */
export function readKeptLines(bytes: Buffer): string[] {
  const texts: string[] = [];
  // Taking bytes that are all ASCII apart as one text is far cheaper than making a text of each line's bytes.
  const ascii = isAscii(bytes) ? bytes.toString('latin1') : null;
  for (let from = 0, to = 0; from < bytes.length; from = to + 1) {
    to = bytes.indexOf(LINE_BREAK, from);
    if (to === -1) break;
    if (bytes[from] === COMMIT_MARK) continue;
    const isCut = to - from > LONGEST_RAW_LINE;
    const end = isCut ? from + LONGEST_RAW_LINE : to;
    const json = ascii === null ? bytes.toString('utf8', from, end) : ascii.slice(from, end);
    const line = isCut ? readCutAccessLine(json) : readAccessLine(json);
    if (line !== null) texts.push(line.text);
  }
  return texts;
}
