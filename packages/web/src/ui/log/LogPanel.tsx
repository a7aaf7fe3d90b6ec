import type { ComponentProps, ReactNode } from 'react';
import { classes } from '../layout/classes.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'neutral';

// The letter says what the colour says, of lines that are not the ordinary ones: a letter before each line would make none
// of them stand out, and costs a quarter of what it takes to draw it. It is drawn by CSS, so that it is neither copied nor
// read out: the line says it. It is plain text in front of the line (a box of its own costs a layout for each row), and
// hangs out as the line wraps.
const LETTER = 'indent-[-3ch] before:font-semibold';
const LOOKS: Record<LogLevel, string> = {
  error: `text-log-error ${LETTER} before:content-['E__']`,
  warn: `text-log-warn ${LETTER} before:content-['W__']`,
  info: 'text-log-info',
  debug: `text-log-debug ${LETTER} before:content-['D__']`,
  neutral: 'text-ink',
};

/** More than 16 for anyone who has set a larger font in the browser. */
const REM_PX = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
/** Height of an unwrapped line, for anyone who draws only the visible rows. */
export const LOG_LINE_PX = 1.25 * REM_PX;
/** Above the first line. */
export const LOG_PADDING_PX = 0.5 * REM_PX;
/** Width of the unwrapped lines of a log, by the characters of the longest: the room for letters, and at both ends. */
export const logWidth = (characters: number): string => `max(100%, calc(${characters + 3}ch + 1.5rem))`;

/** What scrolls must be reached by keyboard. */
const SCROLLABLE = { tabIndex: 0 };

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
  // A list of choices is no section, for all who are read the page.
  const Panel = (rest.role === 'listbox' ? 'div' : 'section') as 'section';
  return (
    <Panel
      {...rest}
      {...SCROLLABLE}
      aria-label={label}
      className={classes(
        'relative min-h-0 overflow-auto overscroll-contain rounded-md border border-line bg-log py-2 font-mono text-xs [overflow-anchor:none]',
        // Thousands of lines a second: what happens in here is laid out in here, and no pair of letters needs kerning.
        '[contain:strict] [text-rendering:optimizeSpeed]',
        wrap ? '[&_[data-line]]:whitespace-pre-wrap [&_[data-line]]:wrap-anywhere' : '[&_[data-line]]:whitespace-pre',
        className,
      )}
    >
      {children}
    </Panel>
  );
}

/** How a line looks. */
type LogLook = {
  level: LogLevel;
  /** A remark of the console between the lines. */
  remark?: boolean | undefined;
  /** The search stands here. */
  current?: boolean | undefined;
};

const lineClass = ({ level, remark = false, current = false }: LogLook): string =>
  classes(
    'pr-3 leading-5',
    remark
      ? 'bg-warning-soft pl-8 font-sans font-medium text-warning-ink'
      : classes('pl-[calc(3ch+0.75rem)]', LOOKS[level]),
    current && 'bg-accent-soft [&_mark]:outline-2 [&_mark]:outline-ink',
  );

type LogLineProps = Omit<ComponentProps<'div'>, 'children' | 'className'> &
  LogLook & {
    /** The line, as text or with highlighted parts; never markup from the network. */
    children: ReactNode;
  };

/** One line of a log. */
export function LogLine({ level, remark, current, children, ...rest }: LogLineProps) {
  return (
    <div
      {...rest}
      data-line
      data-level={level}
      {...(current ? { 'data-current': true } : {})}
      className={lineClass({ level, remark, current })}
    >
      {children}
    </div>
  );
}

/** A part of a line that the search has found. */
export function LogMatch({ children }: { children: ReactNode }) {
  return <mark className="scroll-mx-8 rounded-[2px] bg-warning-solid text-warning-on">{children}</mark>;
}
