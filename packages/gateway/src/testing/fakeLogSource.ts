import type { LineKey, LineSink } from '../world.ts';
import type { LogSource } from '../logs/accessLog.ts';

type Line = { id: string; text: string };
type Log = { lines: Line[]; sinks: Set<LineSink> };

/** A log source into which a test writes. */
export type FakeLogSource = LogSource & {
  /** Adds lines under a key and tells those who wait, before it returns. */
  push(key: LineKey, texts: readonly string[]): Line[];
};

const BEGINNING = '0';

export function createFakeLogSource(): FakeLogSource {
  const logs = new Map<string, Log>();
  let count = 0;
  const logOf = ({ kind, id }: LineKey): Log => {
    const name = `${kind}/${id}`;
    const log = logs.get(name) ?? { lines: [], sinks: new Set() };
    logs.set(name, log);
    return log;
  };
  const put = (sink: LineSink, lines: readonly Line[], before: string): void =>
    sink.push(
      lines.map(({ text }) => text),
      lines.at(-1)?.id ?? before,
    );
  return {
    open: (key, from) => {
      const { lines, sinks } = logOf(key);
      const after = lines.findIndex(({ id }) => id === from.afterId);
      const resumed = after >= 0 || from.afterId === BEGINNING;
      const start = resumed ? after + 1 : Math.max(0, lines.length - from.count);
      const until = lines.length;
      return Promise.resolve({
        resumed,
        read(sink) {
          if (!resumed || until > start) put(sink, lines.slice(start, until), lines[until - 1]?.id ?? BEGINNING);
          if (lines.length > until) put(sink, lines.slice(until), BEGINNING);
          sinks.add(sink);
          return () => sinks.delete(sink);
        },
      });
    },
    problem: () => null,
    close: () => {
      logs.clear();
      return Promise.resolve();
    },
    push: (key, texts) => {
      const { lines, sinks } = logOf(key);
      const added = texts.map((text) => {
        count += 1;
        return { id: `0-${String(count).padStart(15, '0')}`, text };
      });
      lines.push(...added);
      for (const sink of sinks) put(sink, added, BEGINNING);
      return added;
    },
  };
}
