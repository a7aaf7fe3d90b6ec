import { useEffect, useMemo, useState, type RefObject } from 'react';
import type { LogStore } from './createLogStore.ts';
import { patternOf } from './logFilter.ts';
import type { LogLinesHandle } from './logLinesProps.ts';

/** The search in a log: what is looked for, and at which of the lines that have it the reader is. */
export type LogSearch = {
  text: string;
  setText: (text: string) => void;
  pattern: RegExp | null;
  currentId: number | null;
  /** Goes to the next line that has it (`1`) or to the one before (`-1`), and round at the ends. */
  step: (direction: 1 | -1) => void;
};

export function useLogSearch(store: LogStore, lines: RefObject<LogLinesHandle | null>): LogSearch {
  const [text, setText] = useState('');
  const [currentId, setCurrentId] = useState<number | null>(null);
  const pattern = useMemo(() => patternOf(text), [text]);
  useEffect(() => store.setSearch(pattern), [store, pattern]);

  return {
    text,
    setText(next) {
      setText(next);
      setCurrentId(null);
    },
    pattern,
    currentId,
    step(direction) {
      const { matches } = store;
      // Whoever types and presses Enter at once is faster than a frame.
      store.lookThrough();
      const count = matches.count();
      if (count === 0) return;
      const from = currentId ?? lines.current?.topId() ?? 0;
      // The first one behind the place, and the last one before it.
      const place = direction === 1 ? matches.placeOf(currentId === null ? from : from + 1) : matches.placeOf(from) - 1;
      const id = matches.at((place + count) % count);
      if (id === undefined) return;
      setCurrentId(id);
      lines.current?.show(id);
    },
  };
}
