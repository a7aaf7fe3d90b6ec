import { setImmediate as nextRound } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { LineReader, LineStart } from '../world.ts';
import type { Reading, ReadLines, StoredLines } from './storedLines.ts';

/** A reader that takes nothing for so long does not hold the others up any more. */
const STUCK_MS = 2000;
/** Readers that have more than this to read hold up what comes. */
const MUCH_BYTES = 256 * 1024;
/** How long the readers of all logs together take of each round of the event loop, but for the rest of a block. */
const ROUND_MS = 5;

type Reader = {
  name: string;
  /** What was stored for it since it was at the end. */
  unreadBytes: number;
  /** When it last took something. */
  tookAt: number;
  wake(): void;
};

/** The readers of logs: of what is stored, and then of what comes. */
export function createLineReaders(options: {
  /** Null while nothing can be read. */
  lines(): StoredLines | null;
  /** Told of the logs that have readers. */
  watch(names: string[]): void;
  /** Told whether readers have much to read yet. */
  hold(on: boolean): void;
  failed(error: unknown): void;
}) {
  const all = new Set<Reader>();
  const turns = pLimit(1);
  let isHolding = false;

  const watch = (): void => options.watch([...new Set([...all].map(({ name }) => name))]);
  const hold = (): void => {
    const now = performance.now();
    const isBehind = [...all].some(({ unreadBytes, tookAt }) => unreadBytes > MUCH_BYTES && now - tookAt < STUCK_MS);
    if (isBehind !== isHolding) options.hold(isBehind);
    isHolding = isBehind;
  };
  const find = (name: string, id: string): number | null => {
    try {
      return options.lines()?.find(name, id) ?? null;
    } catch (error) {
      options.failed(error);
      return null;
    }
  };

  /** Reads to the end, each time for a moment, in turn with other readers; undefined when it is not to go on. */
  const readInTurn = async (reading: Reading, goesOn: () => boolean): Promise<ReadLines | null | undefined> => {
    for (;;) {
      const step = await turns(async () => {
        if (!goesOn()) return undefined;
        const until = performance.now() + ROUND_MS;
        let next = reading.next();
        while (next.done !== true && performance.now() < until) next = reading.next();
        await nextRound();
        return next;
      });
      if (step === undefined) return undefined;
      if (step.done === true) return step.value;
    }
  };

  return {
    open(name: string, { count, afterId, withDetails = false }: LineStart): LineReader {
      const known = afterId === null ? null : find(name, afterId);
      return {
        resumed: known !== null,
        read(sink) {
          let stopped = false;
          const isStopped = (): boolean => stopped;
          let news = Promise.withResolvers<void>();
          const own: Reader = { name, unreadBytes: 0, tookAt: performance.now(), wake: () => news.resolve() };
          /** The number of the line up to which it has read; null: it has not begun. */
          let at = known;

          const run = async (): Promise<void> => {
            while (!isStopped()) {
              // Before it is looked, so that nothing that is stored meanwhile goes unnoticed.
              news = Promise.withResolvers();
              const lines = options.lines();
              const reading = at === null ? lines?.last(name, count, withDetails) : lines?.after(name, at, withDetails);
              // Another database may be read by then: it wakes its readers, which begin again.
              const read = reading && (await readInTurn(reading, () => !isStopped() && options.lines() === lines));
              if (isStopped()) return;
              if (read === null) break;
              const isNew = read !== undefined && read.last !== at;
              // The history that a stream begins with is one batch, also when it is empty.
              if (isNew && (read.texts.length > 0 || at === null)) sink.push(read.texts, read.id);
              if (read !== undefined) at = read.last;
              own.unreadBytes = isNew ? Math.max(0, own.unreadBytes - read.bytes) : 0;
              own.tookAt = performance.now();
              hold();
              await (isNew ? sink.room() : news.promise);
            }
            // What it should read next is dropped: it is told so when it comes again.
            if (!isStopped()) sink.end();
          };
          const leave = (): void => {
            stopped = true;
            news.resolve();
            if (all.delete(own)) watch();
            hold();
          };
          all.add(own);
          watch();
          run()
            .catch((error: unknown) => {
              options.failed(error);
              if (!stopped) sink.end();
            })
            .finally(leave);
          return leave;
        },
      };
    },
    /** Told of what was stored in logs that have readers, in bytes. */
    stored(added: readonly (readonly [name: string, bytes: number])[]): void {
      const bytes = new Map(added);
      for (const one of all) {
        one.unreadBytes += bytes.get(one.name) ?? 0;
        if (bytes.has(one.name)) one.wake();
      }
      hold();
    },
    /** Wakes all readers: something else can be read than before. */
    wakeAll(): void {
      for (const one of all) one.wake();
    },
  };
}
