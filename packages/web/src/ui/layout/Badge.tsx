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
