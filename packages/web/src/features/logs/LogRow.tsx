import { levelOf, printable, type BufferedLine, type Level } from '@sallyport/sdk';
import { memo } from 'react';
import { LogLine, type LogLevel } from '../../ui/LogPanel.tsx';
import { highlight } from './highlight.tsx';

const LEVELS: Record<Level, LogLevel> = { ERROR: 'error', WARN: 'warn', INFO: 'info', DEBUG: 'debug' };

type LogRowProps = {
  line: BufferedLine;
  isGap: boolean;
  isCurrent: boolean;
  pattern: RegExp | null;
  /** Where wrapped lines are measured, and the place by which they are told apart. */
  measure?: ((element: HTMLElement | null) => void) | undefined;
  index: number;
};

/** A line of the log, drawn once: it stays as it is while others come and go. */
export const LogRow = memo(function LogRow({ line, isGap, isCurrent, pattern, measure, index }: LogRowProps) {
  const level = isGap ? null : levelOf(line.text);
  return (
    <LogLine
      level={level ? LEVELS[level] : 'neutral'}
      remark={isGap}
      current={isCurrent}
      {...(measure ? { ref: measure, 'data-index': index } : {})}
    >
      {isGap ? line.text : highlight(printable(line.text), pattern)}
    </LogLine>
  );
});
