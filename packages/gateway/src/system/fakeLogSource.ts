import { createLogHistory } from './logHistory.ts';
import type { LogKey, LogLine, LogSource } from './logSource.ts';

/** A log source into which a test writes. */
export type FakeLogSource = LogSource & {
  /** Adds lines under a key and tells those who wait, before it returns. */
  push(key: LogKey, texts: readonly string[]): LogLine[];
};

export function createFakeLogSource(): FakeLogSource {
  const history = createLogHistory();
  let count = 0;
  return {
    recent: history.recent,
    subscribe: history.subscribe,
    close: history.clear,
    push: (key, texts) => {
      const lines = texts.map((text) => {
        count += 1;
        return { id: `0-${String(count).padStart(15, '0')}`, text };
      });
      history.add(lines.map((line) => ({ keys: [key], line })));
      return lines;
    },
  };
}
