import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { readAccessLine, readDetailedLine } from './accessLine.ts';
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
 * Reads the lines of each log, a block at each step of a reading, so that much of it holds nothing up. A line is known by its number in its own log, from 1; its id has a sum over the line as
 * well, which tells when another line has that number: in a database that was begun again, for one.
 */
export function readStoredLines(database: Database) {
  const find = database.prepare<[string], { id: number; lines: number }>('select id, lines from logs where name = ?');
  const blocks = 'select last, lines, content from blocks where log = ?';
  const following = database.prepare<[number, number], Block>(`${blocks} and last > ? order by last limit 1`);
  const preceding = database.prepare<[number, number], Block>(`${blocks} and last < ? order by last desc limit 1`);

  const lastTimes = database.prepare<[string], { name: string; time: number | null }>(`
    select name, (select to_time from blocks where log = logs.id order by last desc limit 1) as time
    from logs where name in (select value from json_each(?))`);

  const withId = (name: string, number: number): Block | undefined => {
    const log = find.get(name);
    const block = log === undefined ? undefined : following.get(log.id, number - 1);
    return block !== undefined && number > block.last - block.lines ? block : undefined;
  };

  return {
    /** The time of the last line of each of these logs, those without any left out: one statement, whose look-ups are all indexed. */
    lastTimes: (names: readonly string[]): Map<string, number> =>
      new Map(
        lastTimes
          .all(JSON.stringify(names))
          .flatMap(({ name, time }) => (time === null ? [] : [[name, time] as const])),
      ),
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
    *last(name: string, count: number, withDetails: boolean): Reading {
      const log = find.get(name);
      const read = emptyRead(0, withDetails);
      const parts: string[][] = [];
      let block = log && preceding.get(log.id, Number.MAX_SAFE_INTEGER);
      while (log !== undefined && block !== undefined) {
        if (read.last === 0) read.last = block.last;
        parts.push(take(read, block, read.last - count));
        if (firstOf(block) + count <= read.last + 1 || read.characters > FIRST_CHARACTERS) break;
        yield;
        block = preceding.get(log.id, firstOf(block));
      }
      return { ...read, texts: fitting(parts.toReversed().flat()) };
    },
    /** The next lines after a number, as many as make an event, none at the end; null when what comes next is not stored any more. */
    *after(name: string, number: number, withDetails: boolean): Reading {
      const log = find.get(name);
      const read = emptyRead(number, withDetails);
      if (log === undefined) return number === 0 ? read : null;
      let block = following.get(log.id, number);
      while (block !== undefined && firstOf(block) <= read.last + 1) {
        read.texts.push(...take(read, block, number));
        read.last = block.last;
        if (read.characters > EVENT_CHARACTERS) break;
        yield;
        block = following.get(log.id, read.last);
      }
      if (read.last > number) return read;
      // What is stored meanwhile is not counted in `lines`.
      return block === undefined && number <= log.lines ? read : null;
    },
  };

  function isStoredFrom(name: string, number: number): boolean {
    const log = find.get(name);
    if (log === undefined || log.lines === 0) return true;
    return withId(name, number) !== undefined;
  }
}

export type StoredLines = ReturnType<typeof readStoredLines>;

/** Reads a block at each step. */
export type Reading = Generator<undefined, ReadLines | null, undefined>;

type Found = ReadLines & { characters: number; write: (json: string) => string | null };

const readText = (json: string): string | null => readAccessLine(json)?.text ?? null;
const emptyRead = (last: number, withDetails: boolean): Found => ({
  texts: [],
  last,
  id: BEGINNING,
  bytes: 0,
  characters: 0,
  write: withDetails ? readDetailedLine : readText,
});

/** The lines of a block that come after a number; its last one, if it is the last of what is read, gives that its id. */
function take(read: Found, block: Block, after: number): string[] {
  const lines = unpackLines(block.content);
  if (block.last >= read.last) read.id = idOf(block, lines);
  read.bytes += block.content.length;
  return readable(read, lines.slice(Math.max(0, after + 1 - firstOf(block))));
}

function readable(read: Found, lines: readonly string[]): string[] {
  const texts = lines.flatMap((line) => read.write(line) ?? []);
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
