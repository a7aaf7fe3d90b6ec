import { printable, type BufferedLine } from '@sallyport/sdk';
import { memo } from 'react';
import { LogLine } from '../../ui/log/LogPanel.tsx';
import { highlight } from './highlight.tsx';
import { lookOf } from './lookOf.ts';

type LogRowProps = {
  line: BufferedLine;
  isGap: boolean;
  isCurrent: boolean;
  pattern: RegExp | null;
  /** Where wrapped lines are measured, and the place by which they are told apart. */
  measure: (element: HTMLElement | null) => void;
  index: number;
};

/** A wrapped line of the log, drawn once: it stays as it is while others come and go. */
export const LogRow = memo(function LogRow({ line, isGap, isCurrent, pattern, measure, index }: LogRowProps) {
  return (
    <LogLine {...lookOf(line, isGap)} current={isCurrent} ref={measure} data-index={index}>
      {isGap ? line.text : highlight(printable(line.text), pattern)}
    </LogLine>
  );
});
