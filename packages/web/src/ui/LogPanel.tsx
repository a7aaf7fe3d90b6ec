import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { REACHABLE } from './reachable.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'neutral';

const INKS: Record<LogLevel, string> = {
  error: 'text-log-error',
  warn: 'text-log-warn',
  info: 'text-log-info',
  debug: 'text-log-debug',
  neutral: 'text-ink',
};

/** Height of an unwrapped line, for whoever draws only the visible rows. */
export const LOG_LINE_PX = 20;

type LogPanelProps = Omit<ComponentProps<'section'>, 'title'> & {
  /** Names the region: "Real time logs of app". */
  label: string;
  /** Long lines are broken instead of scrolled sideways. */
  wrap?: boolean | undefined;
  /** LogLine elements: all of them, or the visible ones of a virtual list. `ref` is the scrolling element. */
  children?: ReactNode;
};

/** The monospace panel of a log. It scrolls; what is in it and where it stands is the caller's business. */
export function LogPanel({ label, wrap = false, className, children, ...rest }: LogPanelProps) {
  return (
    <section
      {...rest}
      {...REACHABLE}
      aria-label={label}
      className={classes(
        'relative min-h-0 overflow-auto overscroll-contain rounded-md border border-line bg-log py-2 font-mono text-xs [overflow-anchor:none]',
        wrap ? '[&_[data-line]]:whitespace-pre-wrap [&_[data-line]]:wrap-anywhere' : '[&_[data-line]]:whitespace-pre',
        className,
      )}
    >
      {children}
    </section>
  );
}

type LogLineProps = Omit<ComponentProps<'div'>, 'children'> & {
  level: LogLevel;
  /** The line, as text or with highlighted parts; never markup from the network. */
  children: ReactNode;
};

/** One line of a log. */
export function LogLine({ level, className, children, ...rest }: LogLineProps) {
  return (
    <div {...rest} data-line data-level={level} className={classes('px-3 leading-5', INKS[level], className)}>
      {children}
    </div>
  );
}
