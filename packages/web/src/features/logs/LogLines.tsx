import type { ReactNode, Ref } from 'react';
import type { LogStore } from './createLogStore.ts';
import { FlatLogLines } from './FlatLogLines.tsx';
import type { Following } from './useFollowing.ts';
import { WrappedLogLines } from './WrappedLogLines.tsx';

/** What the rest of the screen may ask of the panel. */
export type LogLinesHandle = {
  /** Brings a line into the middle of the panel. */
  show: (id: number) => void;
  /** The number of the line at the upper edge. */
  topId: () => number;
  focus: () => void;
};

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

/** The panel: only the visible rows are drawn. It follows the end until the reader moves away from it. */
export function LogLines({ wrap, ...props }: LogLinesProps & { wrap: boolean }) {
  return wrap ? <WrappedLogLines {...props} /> : <FlatLogLines {...props} />;
}
