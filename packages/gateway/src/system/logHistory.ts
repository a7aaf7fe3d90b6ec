import { KEPT_LINES, type LogKey, type LogLine, type LogSource } from './logSource.ts';

type Entry = { lines: LogLine[]; listeners: Set<(lines: LogLine[]) => void> };

/** A bounded history for each key, and those who wait for more. */
export type LogHistory = Pick<LogSource, 'recent' | 'subscribe'> & {
  /** Adds lines, each under all its keys, and then tells those who wait. */
  add(lines: readonly { keys: readonly LogKey[]; line: LogLine }[]): void;
  clear(): void;
};

export function createLogHistory(): LogHistory {
  const entries = new Map<string, Entry>();

  const entryOf = (key: LogKey): Entry => {
    const name = `${key.kind}:${key.id}`;
    const found = entries.get(name);
    if (found !== undefined) return found;
    const made: Entry = { lines: [], listeners: new Set() };
    entries.set(name, made);
    return made;
  };

  return {
    add: (added) => {
      const fresh = new Map<Entry, LogLine[]>();
      for (const { keys, line } of added) {
        for (const key of keys) {
          const entry = entryOf(key);
          const lines = fresh.get(entry);
          if (lines === undefined) fresh.set(entry, [line]);
          else lines.push(line);
        }
      }
      for (const [entry, lines] of fresh) {
        for (const line of lines) entry.lines.push(line);
        // Cutting only at twice the size makes each line cost a constant time.
        if (entry.lines.length > 2 * KEPT_LINES) entry.lines = entry.lines.slice(-KEPT_LINES);
      }
      for (const [entry, lines] of fresh) for (const listener of entry.listeners) listener(lines);
    },
    recent: (key, count, afterId) => {
      if (count <= 0) return [];
      const kept = entries.get(`${key.kind}:${key.id}`)?.lines.slice(-KEPT_LINES) ?? [];
      const after = afterId === undefined ? -1 : kept.findLastIndex(({ id }) => id === afterId);
      return after < 0 ? kept.slice(-count) : kept.slice(after + 1);
    },
    subscribe: (key, listener) => {
      const { listeners } = entryOf(key);
      // A listener of its own for each call, even when the same function is given twice.
      const own = (lines: LogLine[]): void => listener(lines);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    clear: () => entries.clear(),
  };
}
