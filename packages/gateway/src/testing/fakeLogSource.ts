import type { LineKey, LineSink } from '../world.ts';
import type { LogSource } from '../logs/accessLog.ts';

type Line = { id: string; text: string };
/** A sink, and whether it is told what stands below a line. */
type Reader = { sink: LineSink; withDetails: boolean };
type Log = { lines: Line[]; readers: Set<Reader> };

/** A log source into which a test writes. */
export type FakeLogSource = LogSource & {
  /** Adds lines under a key, each with its details below it if it has any, and tells its readers before it returns. */
  push(key: LineKey, texts: readonly string[]): Line[];
};

const BEGINNING = '0';

export function createFakeLogSource(): FakeLogSource {
  const logs = new Map<string, Log>();
  let count = 0;
  const logOf = ({ kind, id }: LineKey): Log => {
    const name = `${kind}/${id}`;
    const log = logs.get(name) ?? { lines: [], readers: new Set() };
    logs.set(name, log);
    return log;
  };
  const put = ({ sink, withDetails }: Reader, lines: readonly Line[], before: string): void =>
    sink.push(
      lines.map(({ text }) => (withDetails ? text : (text.split('\n')[0] ?? ''))),
      lines.at(-1)?.id ?? before,
    );
  return {
    open: (key, from) => {
      const { lines, readers } = logOf(key);
      const after = lines.findIndex(({ id }) => id === from.afterId);
      const resumed = after >= 0 || from.afterId === BEGINNING;
      const start = resumed ? after + 1 : Math.max(0, lines.length - from.count);
      const until = lines.length;
      return Promise.resolve({
        resumed,
        read(sink) {
          const reader = { sink, withDetails: from.withDetails === true };
          if (!resumed || until > start) put(reader, lines.slice(start, until), lines[until - 1]?.id ?? BEGINNING);
          if (lines.length > until) put(reader, lines.slice(until), BEGINNING);
          readers.add(reader);
          return () => readers.delete(reader);
        },
      });
    },
    // A line begins with its time.
    lastTimes: (keys) => keys.map((key) => Date.parse(logOf(key).lines.at(-1)?.text.split(' ')[0] ?? '') || null),
    problem: () => null,
    close: () => {
      logs.clear();
      return Promise.resolve();
    },
    push: (key, texts) => {
      const { lines, readers } = logOf(key);
      const added = texts.map((text) => {
        count += 1;
        return { id: `0-${String(count).padStart(15, '0')}`, text };
      });
      lines.push(...added);
      for (const reader of readers) put(reader, added, BEGINNING);
      return added;
    },
  };
}
