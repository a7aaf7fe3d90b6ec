import type { LineReader, LineSink } from '../world.ts';
import type { LineListener, LogEntry } from './logEntry.ts';
import { readKeptLines } from './keptLines.ts';
import { type LogCursor, UNKEPT_ID } from './logId.ts';
import { findLast, findLine, readOn } from './logPosition.ts';

/** A reader that takes nothing for so long does not hold the others up any more. */
const STUCK_MS = 2000;
/** Readers hold the log up by no more than this for each piece of it: to some ten thousand lines a second. */
const HOLD_MS = 100;
/** The history with which a stream begins is one event, kept as a whole for a reader that does not read. */
const FIRST_BATCH_CHARACTERS = 1024 * 1024;

/** A reader, while it has not taken what it was given. */
type Late = { since: number };

/** Those who read logs: what is kept, from disk, and then what comes. */
export type LogReaders = {
  open(entry: LogEntry, from: { count: number; afterId: string | null }): Promise<LineReader>;
  /** Fulfilled when readers that keep pace have taken what they were given, or should not be waited for; null: at once. */
  room(): Promise<void> | null;
  /** Whether anybody reads. */
  isWatched(): boolean;
};

export function createLogReaders(options: {
  /** Writes an entry's pending lines to disk, as far as that is possible. */
  write(entry: LogEntry): void;
  failed(error: unknown): void;
}): LogReaders {
  const late = new Set<Late>();
  const reading = new Set<Late>();
  /** Histories are made one after the other: each takes several times its size for a moment. */
  let histories: Promise<unknown> = Promise.resolve();
  let waiting: (() => void) | null = null;

  const intime = (one: Late): void => {
    late.delete(one);
    if (late.size === 0) waiting?.();
  };

  return {
    async open(entry, { count, afterId }) {
      options.write(entry);
      const { segments } = entry;
      const until = segments.end();
      const lastId = segments.endId();
      const known = afterId === null ? null : await findLine(segments, until, afterId);
      const start = known ?? (await findLast(segments, until, count));
      return {
        resumed: known !== null,
        read(sink) {
          const own: Late = { since: performance.now() };
          reading.add(own);
          let stopped = false;
          let leave = (): void => undefined;
          const isStopped = (): boolean => stopped;
          const push: LineSink['push'] = (texts, id) => {
            if (!stopped) sink.push(texts, id);
          };
          const gone = (): void => {
            intime(own);
            reading.delete(own);
          };
          const taken = async (): Promise<void> => {
            own.since = performance.now();
            late.add(own);
            await sink.room();
            intime(own);
          };
          const follow = (): Promise<LogCursor> => {
            const full = Promise.withResolvers<LogCursor>();
            const listener: LineListener = (texts, id) => {
              push(texts, id);
              if (stopped || sink.room() === null) return;
              options.write(entry);
              // While the disk cannot be written to, nothing could be read from there later.
              if (entry.pending.length > 0) return;
              leave();
              full.resolve(segments.end());
            };
            entry.listeners.add(listener);
            leave = () => entry.listeners.delete(listener);
            return full.promise;
          };
          const run = async (): Promise<void> => {
            // The history that a stream begins with is one batch, also when it is empty.
            let cursor = known;
            if (cursor === null) {
              const first = histories.then(() => (stopped ? null : readFirst(entry, { start, until, lastId }, push)));
              histories = first.catch(() => undefined);
              cursor = await first;
            }
            while (!isStopped() && cursor !== null) {
              await taken();
              if (isStopped()) return;
              options.write(entry);
              if (!isSame(cursor, segments.end())) {
                cursor = await readNext(entry, cursor, push);
                continue;
              }
              // From here to the listener nothing may wait, so that no line is lost or doubled.
              if (entry.pending.length > 0) {
                const unwritten = entry.pending.flatMap(({ bytes }) => readKeptLines(bytes));
                push(unwritten, UNKEPT_ID);
              }
              cursor = await follow();
            }
            // The reader was so slow that what it should read next is dropped: it is told so when it comes again.
            if (!isStopped()) sink.end();
          };
          run()
            .catch((error: unknown) => {
              options.failed(error);
              if (!stopped) sink.end();
            })
            .finally(gone);
          return () => {
            stopped = true;
            leave();
            gone();
          };
        },
      };
    },
    room() {
      const now = performance.now();
      if (![...late].some(({ since }) => now - since < STUCK_MS)) return null;
      return new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting = null;
          resolve();
        };
        const timer = setTimeout(done, HOLD_MS);
        waiting = done;
      });
    },
    isWatched: () => reading.size > 0,
  };
}

/** Hands out everything between two places at once. */
async function readFirst(
  { segments }: LogEntry,
  between: { start: LogCursor; until: LogCursor; lastId: string },
  push: LineSink['push'],
): Promise<LogCursor | null> {
  const texts: string[] = [];
  let cursor = between.start;
  let { lastId } = between;
  while (!isSame(cursor, between.until)) {
    const read = await readOn(segments, cursor, between.until);
    if (read === null) return null;
    cursor = read.next;
    for (const text of read.texts) texts.push(text);
    // Between two files nothing is read.
    if (read.lastId !== '') lastId = read.lastId;
  }
  push(fitting(texts), lastId);
  return cursor;
}

/** The last texts that make one event. */
function fitting(texts: string[]): string[] {
  let room = FIRST_BATCH_CHARACTERS;
  const tooMuch = texts.findLastIndex((text) => (room -= text.length) < 0);
  return tooMuch < 0 ? texts : texts.slice(tooMuch + 1);
}

async function readNext({ segments }: LogEntry, cursor: LogCursor, push: LineSink['push']): Promise<LogCursor | null> {
  const read = await readOn(segments, cursor, segments.end());
  if (read !== null && read.texts.length > 0) push(read.texts, read.lastId);
  return read === null ? null : read.next;
}

const isSame = (a: LogCursor, b: LogCursor): boolean => a.segment === b.segment && a.offset === b.offset;
