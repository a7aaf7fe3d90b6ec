import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type BadgeTone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger';

const TONES: Record<BadgeTone, string> = {
  neutral: 'bg-press text-ink',
  accent: 'bg-accent-soft text-accent-ink',
  success: 'bg-success-soft text-success-ink',
  warning: 'bg-warning-soft text-warning-ink',
  danger: 'bg-danger-soft text-danger-ink',
};

type BadgeProps = { tone?: BadgeTone | undefined; icon?: ReactNode; children: ReactNode };

/** A short word about a thing: its type or state. It stands on the line of the text next to it, with or without an icon. */
export function Badge({ tone = 'neutral', icon, children }: BadgeProps) {
  return (
    <span
      className={classes(
        'inline-flex h-5 items-baseline gap-1 rounded-xs px-1.5 text-xs/5 font-medium whitespace-nowrap [&_svg]:size-3 [&_svg]:self-center',
        TONES[tone],
      )}
    >
      {icon}
      {children}
    </span>
  );
}

/** The shapes that several signs have. */
export const RING = 'M6 2.4a3.6 3.6 0 1 0 0 7.2a3.6 3.6 0 1 0 0-7.2z';
export const SLASHED = `${RING}M3.4 8.6l5.2-5.2`;

/** What a node's state is called, and its sign: the shape tells as much as the colour. */
export const nodeStates = {
  online: { name: 'Online', ink: 'text-mark-online', shape: RING },
  idle: { name: 'Idle', ink: 'text-mark-idle', shape: RING },
  offline: { name: 'Offline', ink: 'text-mark-offline', shape: SLASHED },
  waiting: {
    name: 'Waiting for first connection',
    ink: 'text-mark-waiting [stroke-dasharray:2.7_1.82]',
    shape: RING,
  },
  disabled: { name: 'Disabled', ink: 'text-muted', shape: 'M1.5 6h9' },
};

/** The lines of a sign, or a disc where what is around it has `fill-current`. */
export const Sign = ({ shape, className }: { shape: string; className: string }) => (
  <svg viewBox="0 0 12 12" stroke="currentColor" strokeWidth="2" className={className} aria-hidden>
    <path d={shape} />
  </svg>
);

/**
 * Online pulses green (a disc), idle pulses orange (a ring), offline is red (a ring with a bar), waiting is grey (a broken ring), and so
 * is disabled (a bar). A word stands next to it.
 */
export function StatusDot({ status }: { status: keyof typeof nodeStates }) {
  const { name, ink, shape } = nodeStates[status];
  return (
    <span className="inline-flex items-baseline gap-2">
      <span
        className={classes(
          'relative top-px inline-flex size-3 shrink-0',
          status === 'online' ? 'fill-current' : 'fill-none',
          ink,
        )}
      >
        {/online|idle/.test(status) ? (
          <span className="absolute inset-0.5 animate-pulse rounded-full bg-current motion-reduce:hidden" />
        ) : null}
        <Sign shape={shape} className="relative" />
      </span>
      {name}
    </span>
  );
}

/** Green disc when enabled, red ring with a bar when disabled. */
export function EnabledDot({ enabled }: { enabled: boolean }) {
  const name = enabled ? 'Enabled' : 'Disabled';
  return (
    <span
      {...{ role: 'img', 'aria-label': name }}
      title={name}
      className={classes(
        'inline-flex shrink-0',
        enabled ? 'fill-current text-mark-online' : 'fill-none text-mark-offline',
      )}
    >
      <Sign shape={enabled ? RING : SLASHED} className="size-2.5" />
    </span>
  );
}
