import { REACHABLE } from './reachable.ts';
import { Tooltip } from '../overlays/Tooltip.tsx';

type RelativeTimeProps = {
  /** ISO 8601, for machines. */
  dateTime: string;
  /** "3 minutes ago", made by the caller, who knows what time it is; or a date without its time. */
  relative: string;
  /** The exact time with its zone, shown on hover and on focus. */
  exact: string;
};

/** A time told from now, or in short; the exact one is a hover or a Tab away. */
export function RelativeTime({ dateTime, relative, exact }: RelativeTimeProps) {
  return (
    <Tooltip content={exact}>
      <time
        dateTime={dateTime}
        {...REACHABLE}
        className="rounded-xs underline decoration-edge decoration-dotted underline-offset-[0.25em]"
      >
        {relative}
      </time>
    </Tooltip>
  );
}
