import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { readAccessLine } from './accessLine.ts';
import { unpackLines } from './packedLines.ts';

/** Readable lines, oldest first; the number of the last, and its id. */
export type ReadLines = { texts: string[]; last: number; id: string; bytes: number };

/**
 * Reads the lines of each log. A line is known by its number in its own log, from 1; its id has a sum over the line as
 * well, which tells when another line has that number: in a database that was begun again, for one.
 */
export type StoredLines = {
  /** The number of the line with an id; null when it is not stored, or not any more. */
  find(name: string, id: string): number | null;
  /** The last lines of a log, at most `count`, and no more than make one event. */
  last(name: string, count: number): ReadLines;
  /** The next lines after a number, some 256 kB, none at the end; null when what comes next is not stored any more. */
  after(name: string, number: number): ReadLines | null;
};

type Block = { last: number; lines: number; content: Buffer };

const BEGINNING = '0';
const READ_BYTES = 256 * 1024;
/** Most bytes of stored lines with which a reader begins. What is made of them is shorter, and bounded on its own. */
const FIRST_BYTES = 2 * 1024 * 1024;
const FIRST_CHARACTERS = 1024 * 1024;

export function readStoredLines(database: Database): StoredLines {
  const find = database.prepare<[string], { id: number; lines: number }>('select id, lines from logs where name = ?');
  const blocks = 'select last, lines, content from blocks where log = ?';
  const following = database.prepare<[number, number], Block>(`${blocks} and last > ? order by last`);
  const newest = database.prepare<[number], Block>(`${blocks} order by last desc`);

  const withId = (name: string, number: number): Block | undefined => {
    const log = find.get(name);
    const block = log === undefined ? undefined : following.get(log.id, number - 1);
    return block !== undefined && number > block.last - block.lines ? block : undefined;
  };

  return {
    find(name, id) {
      const [, digits = '', sum] = /^([0-9a-z]{1,10})-([0-9a-z]{1,7})$/.exec(id) ?? [];
      const number = id === BEGINNING ? 0 : Number.parseInt(digits, 36);
      if (number === 0) return isStoredFrom(name, 1) ? 0 : null;
      const block = Number.isSafeInteger(number) ? withId(name, number) : undefined;
      return block !== undefined && sumOf(unpackLines(block.content)[number - firstOf(block)] ?? '') === sum
        ? number
        : null;
    },
    last(name, count) {
      const log = find.get(name);
      const found: Block[] = [];
      let [lines, bytes] = [0, 0];
      for (const block of log === undefined ? [] : newest.iterate(log.id)) {
        if (found.length > 0 && (lines >= count || bytes + block.content.length > FIRST_BYTES)) break;
        found.push(block);
        lines += block.lines;
        bytes += block.content.length;
      }
      const read = readBlocks(found.toReversed(), (log?.lines ?? 0) - count);
      return { ...read, texts: fitting(read.texts) };
    },
    after(name, number) {
      const log = find.get(name);
      if (log === undefined) return number === 0 ? NOTHING : null;
      const found: Block[] = [];
      let bytes = 0;
      for (const block of following.iterate(log.id, number)) {
        found.push(block);
        bytes += block.content.length;
        if (bytes > READ_BYTES) break;
      }
      const [first] = found;
      if (first === undefined) return number <= log.lines ? { ...NOTHING, last: number } : null;
      return firstOf(first) > number + 1 ? null : readBlocks(found, number);
    },
  };

  function isStoredFrom(name: string, number: number): boolean {
    const log = find.get(name);
    if (log === undefined || log.lines === 0) return true;
    return withId(name, number) !== undefined;
  }
}

const NOTHING: ReadLines = { texts: [], last: 0, id: BEGINNING, bytes: 0 };

/** The lines after a number that blocks hold which follow each other. */
function readBlocks(blocks: readonly Block[], after: number): ReadLines {
  const texts: string[] = [];
  let id = BEGINNING;
  let bytes = 0;
  for (const block of blocks) {
    const lines = unpackLines(block.content);
    bytes += block.content.length;
    for (let index = Math.max(0, after + 1 - firstOf(block)); index < lines.length; index += 1) {
      const line = readAccessLine(lines[index] ?? '');
      if (line !== null) texts.push(line.text);
    }
    id = `${block.last.toString(36)}-${sumOf(lines.at(-1) ?? '')}`;
  }
  return { texts, last: blocks.at(-1)?.last ?? 0, id, bytes };
}

const firstOf = ({ last, lines }: Block): number => last - lines + 1;
const sumOf = (line: string): string => crc32(line).toString(36);

/** The last texts that make one event. */
function fitting(texts: string[]): string[] {
  let room = FIRST_CHARACTERS;
  const tooMuch = texts.findLastIndex((text) => (room -= text.length) < 0);
  return tooMuch < 0 ? texts : texts.slice(tooMuch + 1);
}
