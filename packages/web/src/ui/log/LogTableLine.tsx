import type { ComponentProps, CSSProperties, ReactNode } from 'react';
import { classes } from '../layout/classes.ts';
import type { LogLevel } from './LogPanel.tsx';

/** Which columns the table has: those of requests, those of TCP and UDP connections, or two lines on a phone. */
export type LogTableKind = 'http' | 'tcp' | 'phone';

const REM_PX = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
/** Height of a row, for anyone who draws only the visible ones. */
export const LOG_TABLE_ROW_PX = 1.75 * REM_PX;
/** The same on a phone. */
export const LOG_TABLE_PHONE_PX = 3 * REM_PX;

/** Between two columns. */
const GAP = '  ';
const TEXT = 'font-mono text-xs whitespace-pre';

/**
 * A column of the table. A row is one text, its columns are characters of one width: a box for each value costs three
 * times as much to lay out and to paint, which is too long for one frame when thousands of lines a second come.
 */
export type LogColumn = {
  title: string;
  /** In characters; null for the one column that takes what is left over. */
  width: number | null;
  /** Numbers stand under each other. */
  numeric?: boolean;
  /** Only where there is room: these come last, and a row has them in its details. */
  wide?: boolean;
};

/** What the columns of fixed width take, for the one that does not; of an element around all rows and the titles. */
export function logTableWidths(columns: readonly LogColumn[]): CSSProperties {
  const widthOf = (some: readonly LogColumn[]) =>
    `${some.reduce((sum, { width }) => sum + (width ?? 0) + GAP.length, -GAP.length)}ch`;
  const narrow = widthOf(columns.filter(({ wide }) => !wide));
  return { '--log-narrow': narrow, '--log-wide': widthOf(columns) } as CSSProperties;
}

/** The columns one after the other; `cell` makes what stands in one, as wide as the column. */
export function logTableCells<C extends LogColumn>(columns: readonly C[], cell: (column: C) => ReactNode): ReactNode[] {
  const withGap = (column: C, index: number) => [index > 0 ? GAP : '', inColumn(column, cell(column))].flat();
  const narrow = columns.filter(({ wide }) => !wide).flatMap(withGap);
  const wide = columns.filter((column) => column.wide).flatMap((column) => withGap(column, 1));
  return joined([
    ...narrow,
    wide.length > 0 ? (
      <span key="wide" className="hidden @4xl:inline">
        {joined(wide)}
      </span>
    ) : null,
  ]);
}

const REST =
  'inline-block w-[calc(100%-var(--log-narrow))] overflow-clip align-bottom text-ellipsis @4xl:w-[calc(100%-var(--log-wide))]';

const inColumn = ({ title, width }: LogColumn, cell: ReactNode): ReactNode =>
  width === null ? (
    <span key={title} className={REST}>
      {cell}
    </span>
  ) : (
    cell
  );

/** Neighbouring texts as one. */
function joined(nodes: readonly ReactNode[]): ReactNode[] {
  const parts: ReactNode[] = [];
  for (const node of nodes.flat()) {
    const before = parts.at(-1);
    if (typeof node === 'string' && typeof before === 'string') parts[parts.length - 1] = before + node;
    else parts.push(node);
  }
  return parts;
}

type LogTableHeadProps = { columns: readonly LogColumn[] };

/** The titles above the panel. Each row is read out with the words that make it plain without them. */
export function LogTableHead({ columns }: LogTableHeadProps) {
  return (
    <div aria-hidden className={classes(TEXT, 'pr-3 pb-1 pl-[calc(0.75rem+3px)] text-muted')}>
      {logTableCells(columns, ({ title, width, numeric }) => (
        <span
          key={title}
          className={classes('inline-block', numeric && 'text-right')}
          style={width === null ? undefined : { width: `${width}ch` }}
        >
          <span className="font-sans">{title}</span>
        </span>
      ))}
    </div>
  );
}

const COLOURS: Record<LogLevel, string> = {
  error: 'text-log-error',
  warn: 'text-log-warn',
  info: 'text-log-info',
  debug: 'text-log-debug',
  neutral: 'text-ink',
};

/** One of the two lines of a row on a phone; what is too long is cut. */
export function LogPhoneLine({ children }: { children: ReactNode }) {
  return <span className="truncate">{children}</span>;
}

/** What the colour of a level is for: the status. */
export function LogStatus({ level, children }: { level: LogLevel; children: ReactNode }) {
  return (
    <span className={classes(COLOURS[level], (level === 'error' || level === 'warn') && 'font-semibold')}>
      {children}
    </span>
  );
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
        TEXT,
        kind === 'phone' ? 'flex h-12 flex-col justify-center' : 'h-7 leading-7',
        whole && 'truncate',
        // A line without a status has the colour as a whole.
        whole && !remark && COLOURS[level],
        'cursor-default border-l-2 px-3 hover:bg-hover',
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
