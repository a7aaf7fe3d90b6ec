import type { ReactNode, Ref } from 'react';
import type { LogStore } from './createLogStore.ts';
import type { Following } from './useFollowing.ts';

/** What the rest of the screen may ask of the panel. */
export type LogLinesHandle = {
  /** Brings a line into the middle of the panel. */
  show: (id: number) => void;
  /** The number of the line at the upper edge. */
  topId: () => number;
  focus: () => void;
};

/** What the panel is told, whichever kind of rows it draws. */
export type LogLinesProps = {
  store: LogStore;
  label: string;
  pattern: RegExp | null;
  /** The line at which the search stands. */
  currentId: number | null;
  following: Following;
  onFind: () => void;
  /** Shown while there is no line. */
  empty: ReactNode;
  ref?: Ref<LogLinesHandle>;
};
