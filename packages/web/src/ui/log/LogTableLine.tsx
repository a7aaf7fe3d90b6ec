import type { ComponentProps, ReactNode } from 'react';
import { classes } from '../layout/classes.ts';
import type { LogLevel } from './LogPanel.tsx';

/** Which columns the table has: those of requests, those of TCP and UDP connections, or two lines on a phone. */
export type LogTableKind = 'http' | 'tcp' | 'phone';

const REM_PX = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
/** Height of a row, for anyone who draws only the visible ones. */
export const LOG_TABLE_ROW_PX = 1.75 * REM_PX;
/** The same on a phone. */
export const LOG_TABLE_PHONE_PX = 3 * REM_PX;

// Where the panel is narrow, the last columns are left out: a row has them in its details.
const GRID: Record<LogTableKind, string> = {
  http: 'grid grid-cols-[12ch_6ch_7ch_minmax(0,1fr)_15ch_8ch] @4xl:grid-cols-[12ch_6ch_7ch_minmax(0,1fr)_15ch_8ch_9ch_21ch] gap-x-4',
  tcp: 'grid grid-cols-[12ch_6ch_8ch_6ch_minmax(0,1fr)_9ch] @4xl:grid-cols-[12ch_6ch_8ch_6ch_minmax(0,1fr)_9ch_9ch_9ch_21ch] gap-x-4',
  phone: 'flex flex-col justify-center',
};
const ROW = 'px-3 font-mono text-xs';

/** A column of the table. */
export type LogColumn = {
  title: string;
  /** Numbers stand under each other. */
  numeric?: boolean;
  /** Only where there is room. */
  wide?: boolean;
};

type LogTableHeadProps = { kind: LogTableKind; columns: readonly LogColumn[] };

/** The titles above the panel. Each row is read out with the words that make it plain without them. */
export function LogTableHead({ kind, columns }: LogTableHeadProps) {
  return (
    <div aria-hidden className={classes(GRID[kind], 'pr-3 pb-1 pl-[calc(0.75rem+3px)] font-mono text-xs text-muted')}>
      {columns.map((column) => (
        <LogCell key={column.title} column={column}>
          <span className="font-sans">{column.title}</span>
        </LogCell>
      ))}
    </div>
  );
}

/** What stands in a column; what is too long for it is cut. */
export function LogCell({ column: { numeric = false, wide = false }, children, ...rest }: LogCellProps) {
  return (
    <span
      {...rest}
      className={classes('truncate whitespace-pre', numeric && 'text-right', wide && 'hidden @4xl:block')}
    >
      {children}
    </span>
  );
}

type LogCellProps = Omit<ComponentProps<'span'>, 'className'> & {
  column: Omit<LogColumn, 'title'>;
  children: ReactNode;
};

const STATUS: Record<LogLevel, string> = {
  error: 'font-semibold text-log-error',
  warn: 'font-semibold text-log-warn',
  info: 'text-log-info',
  debug: 'text-log-debug',
  neutral: 'text-ink',
};

/** What the colour of a level is for: the status. */
export function LogStatus({ level, children }: { level: LogLevel; children: ReactNode }) {
  return <span className={STATUS[level]}>{children}</span>;
}

type LogTableLineProps = Omit<ComponentProps<'div'>, 'className'> & {
  kind: LogTableKind;
  level: LogLevel;
  /** A remark of the console, or a line that has no columns. */
  whole: boolean;
  remark: boolean;
  current: boolean;
  selected: boolean;
};

/** The panel is a list of which one line is chosen; a `select` could not hold columns. */
const OPTION = { role: 'option' };

/** A row of the table. */
export function LogTableLine({ kind, level, whole, remark, current, selected, children, ...rest }: LogTableLineProps) {
  return (
    <div
      {...rest}
      {...OPTION}
      aria-selected={selected}
      data-line
      data-level={level}
      {...(current ? { 'data-current': true } : {})}
      className={classes(
        whole ? 'flex' : GRID[kind],
        kind === 'phone' ? 'h-12' : 'h-7 items-center',
        ROW,
        'cursor-default border-l-2 hover:bg-hover',
        remark && 'bg-warning-soft font-sans font-medium text-warning-ink',
        selected ? 'border-accent bg-accent-soft' : 'border-transparent',
        !selected && level === 'error' && 'bg-danger-soft',
        current && 'bg-accent-soft [&_mark]:outline-2 [&_mark]:outline-ink',
      )}
    >
      {children}
    </div>
  );
}
