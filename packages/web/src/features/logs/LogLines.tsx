import { FlatLogLines } from './FlatLogLines.tsx';
import type { LogLinesProps } from './logLinesProps.ts';
import { WrappedLogLines } from './WrappedLogLines.tsx';

/** The panel: only the visible rows are drawn. It follows the end until the reader moves away from it. */
export function LogLines({ wrap, ...props }: LogLinesProps & { wrap: boolean }) {
  return wrap ? <WrappedLogLines {...props} /> : <FlatLogLines {...props} />;
}
