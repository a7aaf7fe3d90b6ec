import type { LineReader } from '../world.ts';
import type { ReadLines, StoredLines } from './storedLines.ts';

/** A reader that takes nothing for so long does not hold the others up any more. */
const STUCK_MS = 2000;
/** Readers that have more than this to read hold up what comes. */
const MUCH_BYTES = 256 * 1024;

type Reading = {
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
  const all = new Set<Reading>();
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

  return {
    open(name: string, { count, afterId }: { count: number; afterId: string | null }): LineReader {
      const known = afterId === null ? null : find(name, afterId);
      return {
        resumed: known !== null,
        read(sink) {
          let stopped = false;
          const isStopped = (): boolean => stopped;
          let news = Promise.withResolvers<void>();
          const own: Reading = { name, unreadBytes: 0, tookAt: performance.now(), wake: () => news.resolve() };
          /** The number of the line up to which it has read; null: it has not begun. */
          let at = known;

          const next = (lines: StoredLines): ReadLines | null => {
            if (at !== null) return lines.after(name, at);
            const first = lines.last(name, count);
            // The history that a stream begins with is one batch, also when it is empty.
            if (first.texts.length === 0) sink.push([], first.id);
            return first;
          };
          const run = async (): Promise<void> => {
            while (!isStopped()) {
              // Before it is looked, so that nothing that is stored meanwhile goes unnoticed.
              news = Promise.withResolvers();
              const lines = options.lines();
              const read = lines === null ? undefined : next(lines);
              if (read === null) break;
              const isNew = read !== undefined && read.last !== at;
              if (isNew && read.texts.length > 0) sink.push(read.texts, read.id);
              if (read !== undefined) at = read.last;
              own.unreadBytes = isNew ? Math.max(0, own.unreadBytes - read.bytes) : 0;
              own.tookAt = performance.now();
              hold();
              await (isNew ? sink.room() : news.promise);
              // Others have their turn.
              if (isNew) await new Promise(setImmediate);
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
