import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { readAccessLine } from './accessLine.ts';
import { unpackLines } from './schema.ts';

/** Readable lines, oldest first; the number of the last, and its id. */
export type ReadLines = { texts: string[]; last: number; id: string; bytes: number };

type Block = { last: number; lines: number; content: Buffer };

const BEGINNING = '0';
/** From so many characters on, lines are an event of their own. Clients refuse events of more than four million. */
const EVENT_CHARACTERS = 256 * 1024;
/** Most characters of the lines with which a reader begins. */
const FIRST_CHARACTERS = 1024 * 1024;

/**
 * Reads the lines of each log. A line is known by its number in its own log, from 1; its id has a sum over the line as
 * well, which tells when another line has that number: in a database that was begun again, for one.
 */
export function readStoredLines(database: Database) {
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
    /** The number of the line with an id; null when it is not stored, or not any more. */
    find(name: string, id: string): number | null {
      const [, digits = '', sum] = /^([0-9a-z]{1,10})-([0-9a-z]{1,7})$/.exec(id) ?? [];
      const number = id === BEGINNING ? 0 : Number.parseInt(digits, 36);
      if (number === 0) return isStoredFrom(name, 1) ? 0 : null;
      const block = Number.isSafeInteger(number) ? withId(name, number) : undefined;
      return block !== undefined && sumOf(unpackLines(block.content)[number - firstOf(block)] ?? '') === sum
        ? number
        : null;
    },
    /** The last lines of a log, at most `count`, and no more than make one event. */
    last(name: string, count: number): ReadLines {
      const log = find.get(name);
      const read = emptyRead();
      for (const block of log === undefined ? [] : newest.iterate(log.id)) {
        prepend(read, block, (read.last || block.last) - count);
        if (firstOf(block) + count <= read.last + 1 || read.characters > FIRST_CHARACTERS) break;
      }
      return { ...read, texts: fitting(read.texts) };
    },
    /** The next lines after a number, as many as make an event, none at the end; null when what comes next is not stored any more. */
    after(name: string, number: number): ReadLines | null {
      const log = find.get(name);
      if (log === undefined) return number === 0 ? emptyRead() : null;
      const read = emptyRead(number);
      for (const block of following.iterate(log.id, number)) {
        if (firstOf(block) > read.last + 1) return null;
        append(read, block, number);
        if (read.characters > EVENT_CHARACTERS) break;
      }
      // What is stored meanwhile is not counted in `lines`.
      return read.last > number || number <= log.lines ? read : null;
    },
  };

  function isStoredFrom(name: string, number: number): boolean {
    const log = find.get(name);
    if (log === undefined || log.lines === 0) return true;
    return withId(name, number) !== undefined;
  }
}

export type StoredLines = ReturnType<typeof readStoredLines>;

type Reading = ReadLines & { characters: number };

const emptyRead = (last = 0): Reading => ({ texts: [], last, id: BEGINNING, bytes: 0, characters: 0 });

/** Adds the lines of a block that come after those of a reading, and after a number. */
function append(read: Reading, block: Block, after: number): void {
  const lines = unpackLines(block.content);
  read.texts.push(...readable(read, lines.slice(Math.max(0, after + 1 - firstOf(block)))));
  read.last = block.last;
  read.id = idOf(block, lines);
  read.bytes += block.content.length;
}

/** Adds those of a block that come before. */
function prepend(read: Reading, block: Block, after: number): void {
  const lines = unpackLines(block.content);
  read.texts.unshift(...readable(read, lines.slice(Math.max(0, after + 1 - firstOf(block)))));
  if (read.last === 0) {
    read.last = block.last;
    read.id = idOf(block, lines);
  }
  read.bytes += block.content.length;
}

function readable(read: Reading, lines: readonly string[]): string[] {
  const texts = lines.flatMap((line) => readAccessLine(line)?.text ?? []);
  for (const text of texts) read.characters += text.length;
  return texts;
}

const idOf = ({ last }: Block, lines: readonly string[]): string => `${last.toString(36)}-${sumOf(lines.at(-1) ?? '')}`;
const firstOf = ({ last, lines }: Block): number => last - lines + 1;
const sumOf = (line: string): string => crc32(line).toString(36);

/** The last texts that make one event. */
function fitting(texts: string[]): string[] {
  let room = FIRST_CHARACTERS;
  const tooMuch = texts.findLastIndex((text) => (room -= text.length) < 0);
  return tooMuch < 0 ? texts : texts.slice(tooMuch + 1);
}
