import { memo } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { REACHABLE } from './reachable.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'neutral';

// The letter says what the colour says. It is drawn by CSS, so that it is neither copied nor read out: the line says it.
const LOOKS: Record<LogLevel, string> = {
  error: "text-log-error before:content-['E']",
  warn: "text-log-warn before:content-['W']",
  info: "text-log-info before:content-['I']",
  debug: "text-log-debug before:content-['D']",
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
  /** A remark of the console between the lines. */
  remark?: boolean | undefined;
  /** The search stands here. */
  current?: boolean | undefined;
  /** The line, as text or with highlighted parts; never markup from the network. */
  children: ReactNode;
};

/** One line of a log. */
export const LogLine = memo(function LogLine({
  level,
  remark = false,
  current = false,
  className,
  children,
  ...rest
}: LogLineProps) {
  return (
    <div
      {...rest}
      data-line
      data-level={level}
      {...(current ? { 'data-current': true } : {})}
      className={classes(
        // A row or a letter with a position would be painted on a layer of its own, thousands of times a second.
        'pr-3 pl-8 leading-5 before:-ml-5 before:inline-block before:w-5 before:font-semibold',
        remark ? 'bg-warning-soft font-sans font-medium text-warning-ink' : LOOKS[level],
        current && 'bg-accent-soft',
        className,
      )}
    >
      {children}
    </div>
  );
});

/** A part of a line that the search has found. */
export function LogMatch({ children }: { children: ReactNode }) {
  return <mark className="rounded-[2px] bg-warning-solid text-warning-on">{children}</mark>;
}
