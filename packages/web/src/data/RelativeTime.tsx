import { formatExact } from '@sallyport/sdk';
import type { ReactNode } from 'react';
import { Tooltip } from '../ui/overlays/Tooltip.tsx';

/** The keyboard reaches it: it tells more when it has the focus. */
const REACHABLE = { tabIndex: 0 };

type RelativeTimeProps = {
  at: string | number;
  /** The time told from now, or in short. */
  children: ReactNode;
};

/** A time in few words; the exact one with its zone is a hover or a Tab away. */
export function RelativeTime({ at, children }: RelativeTimeProps) {
  return (
    <Tooltip content={formatExact(at)}>
      <time
        dateTime={new Date(at).toISOString()}
        {...REACHABLE}
        className="rounded-xs underline decoration-edge decoration-dotted underline-offset-[0.25em]"
      >
        {children}
      </time>
    </Tooltip>
  );
}
