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

/** What a node's state is called, and its colour. */
export const nodeStates = {
  online: { name: 'Online', ink: 'text-mark-online' },
  idle: { name: 'Idle', ink: 'text-mark-idle' },
  offline: { name: 'Offline', ink: 'text-mark-offline' },
  waiting: { name: 'Waiting for first connection', ink: 'text-mark-waiting' },
  disabled: { name: 'Disabled', ink: 'text-muted' },
};

/**
 * Online pulses green (a disc), idle pulses orange (a ring), offline is red (a ring with a bar), waiting is grey (a broken ring), and so
 * is disabled (a bar): the shape tells as much as the colour, and a word stands next to it.
 */
export function StatusDot({ status }: { status: keyof typeof nodeStates }) {
  const { name, ink } = nodeStates[status];
  return (
    <span className="inline-flex items-baseline gap-2">
      <span className={classes('relative top-px inline-flex size-3 shrink-0', ink)}>
        {status === 'online' || status === 'idle' ? (
          <span className="absolute inset-0.5 animate-pulse rounded-full bg-current motion-reduce:hidden" />
        ) : null}
        <svg viewBox="0 0 12 12" className="relative size-3" aria-hidden>
          {status === 'online' ? <circle cx="6" cy="6" r="4.5" fill="currentColor" /> : null}
          {status === 'idle' ? (
            <circle cx="6" cy="6" r="3.6" fill="none" stroke="currentColor" strokeWidth="2.4" />
          ) : null}
          {status === 'waiting' ? (
            <circle
              cx="6"
              cy="6"
              r="4.4"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.8"
              strokeDasharray="2.8 1.8"
            />
          ) : null}
          {status === 'disabled' ? <path d="M1.5 6h9" stroke="currentColor" strokeWidth="2.4" /> : null}
          {status === 'offline' ? (
            <path
              d="M6 1.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 1 0 0-8.8zM3 9l6-6"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.8"
            />
          ) : null}
        </svg>
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
      className={classes('inline-flex shrink-0', enabled ? 'text-mark-online' : 'text-mark-offline')}
    >
      <svg viewBox="0 0 12 12" className="size-2.5" aria-hidden>
        {enabled ? (
          <circle cx="6" cy="6" r="4.8" fill="currentColor" />
        ) : (
          <path
            d="M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM2.8 9.2l6.4-6.4"
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
          />
        )}
      </svg>
    </span>
  );
}
