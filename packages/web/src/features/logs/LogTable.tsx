import {
  type BufferedLine,
  formatBytes,
  formatExact,
  type Level,
  levelOf,
  parseDetails,
  parseLine,
  printable,
  type RequestLine,
} from '@sallyport/sdk';
import { type ComponentProps, type CSSProperties, memo, type ReactNode } from 'react';
import {
  LOG_TABLE_PHONE_PX,
  LOG_TABLE_ROW_PX,
  type LogColumn,
  LogPhoneLine,
  LogStatus,
  logTableCells,
  LogTableHead,
  type LogTableKind,
  LogTableLine,
  logTableWidths,
} from '../../ui/log/LogTableLine.tsx';
import type { LogLevel } from '../../ui/log/LogPanel.tsx';
import { highlight } from './highlight.tsx';
import { requestOf } from './logFilter.ts';

/** The look of each level. */
const LEVELS: Record<Level, LogLevel> = { ERROR: 'error', WARN: 'warn', INFO: 'info', DEBUG: 'debug' };

/** How a line looks by its level. @param isGap it is a remark of the console */
export function lookOf(text: string, isGap: boolean): LogLevel {
  const level = isGap ? null : levelOf(text);
  return level ? LEVELS[level] : 'neutral';
}

/** In which zone times are told. */
export type LogZone = 'local' | 'utc';

/** How the table shows lines. */
export type LogColumns = { kind: LogTableKind; zone: LogZone; rowPx: number };

/** @param isTcp the lines are those of TCP or UDP connections */
export const columnsOf = (isTcp: boolean, zone: LogZone, isPhone: boolean): LogColumns => ({
  kind: isPhone ? 'phone' : isTcp ? 'tcp' : 'http',
  zone,
  rowPx: isPhone ? LOG_TABLE_PHONE_PX : LOG_TABLE_ROW_PX,
});

/** The element of a line in the document. */
export const rowDomId = (id: number): string => `log-row-${id}`;

/** The date and the time as a clock and a calendar of the zone show them. */
function wallTime(iso: string | number, zone: LogZone): { day: string; time: string } {
  const at = new Date(iso);
  const shown = new Date(at.getTime() - (zone === 'utc' ? 0 : at.getTimezoneOffset() * 60_000)).toISOString();
  return { day: shown.slice(0, 10), time: shown.slice(11, 23) };
}

/** The time of a line; of another day than today, with its date instead of its seconds. */
export function clockTime(iso: string | null, zone: LogZone, now = Date.now()): string {
  if (iso === null) return '–';
  const { day, time } = wallTime(iso, zone);
  return day === wallTime(now, zone).day ? time : `${day.slice(5).replace('-', '/')} ${time.slice(0, 5)}`;
}

/** The exact time in a zone, that of the browser unless told, and in UTC where that says something else. */
export function exactTimes(iso: string, timeZone?: string): string {
  const there = formatExact(iso, { timeZone });
  const utc = formatExact(iso, { timeZone: 'UTC' });
  return there === utc ? utc : `${there} (${utc})`;
}

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return '–';
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const tenths = Math.round(milliseconds / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `text` is the line as a whole, which is what a search looks into. */
type Shown = { line: RequestLine; text: string; details: string | null; zone: LogZone; pattern: RegExp | null };
type Column = LogColumn & {
  value: (shown: Shown) => string | number | null;
  /** From where on it stands in the line, for what a search finds there; none: the line has it in another form. */
  from?: (shown: Shown) => number;
  /** What is around it. */
  around?: (cell: ReactNode, shown: Shown) => ReactNode;
};

/** What stands in a column; in so many characters, if a width is given: what is too long is cut. */
function cellOf(column: Column, shown: Shown, width: number | null = null): ReactNode {
  const value = column.value(shown);
  const text = value === null ? '–' : printable(String(value));
  const space = ' '.repeat(Math.max(0, (width ?? 0) - text.length));
  const isCut = width !== null && text.length > width;
  const kept = isCut ? width - 1 : text.length;
  const at = shown.pattern && column.from ? shown.text.indexOf(text, column.from(shown)) : -1;
  const found = at < 0 ? [text.slice(0, kept)] : highlight(shown.text, shown.pattern, at, at + kept);
  const cell = [column.numeric ? space : '', found, isCut ? '…' : column.numeric ? '' : space].flat();
  return column.around?.(cell, shown) ?? cell;
}

// The request is the first that stands in quotes.
const requestAt = ({ text }: Shown) => text.indexOf('"') + 1;
const requestEnd = (shown: Shown) => requestAt(shown) + printable(shown.line.request).length;
const atPath = (shown: Shown) => requestAt(shown) + printable(requestOf(shown.line).method).length;

/** Made when it is asked for: for each row of each frame it would take most of that frame. */
const exactOnHover = (iso: string | null): Pick<ComponentProps<'time'>, 'onMouseEnter'> => ({
  onMouseEnter: ({ currentTarget }) => (currentTarget.title = iso === null ? '' : exactTimes(iso)),
});

const time: Column = {
  title: 'Time',
  width: 12,
  value: ({ line, zone }) => clockTime(line.time, zone),
  around: (cell, { line }) => (
    <time key="time" {...exactOnHover(line.time)}>
      {cell}
    </time>
  ),
};
const status: Column = {
  title: 'Status',
  width: 6,
  value: ({ line }) => line.status,
  from: requestEnd,
  around: (cell, { line }) => (
    <LogStatus key="status" level={LEVELS[line.level]}>
      {cell}
    </LogStatus>
  ),
};
const method: Column = { title: 'Method', width: 7, value: ({ line }) => requestOf(line).method, from: requestAt };
const path: Column = { title: 'Path', width: null, value: ({ line }) => requestOf(line).path, from: atPath };
const visitor: Column = { title: 'Visitor', width: 15, value: ({ line }) => line.client, from: () => 0 };
const duration: Column = {
  title: 'Duration',
  width: 8,
  numeric: true,
  value: ({ line }) => formatDuration(line.milliseconds),
};
const sent: Column = {
  title: 'Size',
  width: 9,
  numeric: true,
  wide: true,
  value: ({ line }) => formatBytes(line.bytes),
};
const received: Column = {
  ...sent,
  title: 'Received',
  value: ({ details }) => formatBytes(parseDetails(details).received),
};
const backend: Column = {
  title: 'Backend',
  width: 21,
  wide: true,
  value: ({ line }) => line.upstream,
  from: requestEnd,
};

const COLUMNS: Record<'http' | 'tcp', readonly Column[]> = {
  http: [time, status, method, path, visitor, duration, sent, backend],
  tcp: [
    time,
    status,
    { ...method, title: 'Protocol', width: 8 },
    { ...path, title: 'Port', width: 6, numeric: true },
    { ...visitor, width: null },
    { ...duration, title: 'Lasted', width: 9 },
    received,
    { ...sent, title: 'Sent' },
    backend,
  ],
};

/** Of the element around the titles and the panel. */
export const tableWidths = ({ kind }: LogColumns): CSSProperties | undefined =>
  kind === 'phone' ? undefined : logTableWidths(COLUMNS[kind]);

/** The titles of the columns, above the panel. */
export function LogColumnTitles({ columns: { kind } }: { columns: LogColumns }) {
  return kind === 'phone' ? null : <LogTableHead columns={COLUMNS[kind]} />;
}

type LogTableRowProps = {
  line: BufferedLine;
  columns: LogColumns;
  /** A remark of the console. */
  isGap: boolean;
  /** The search stands here. */
  isCurrent: boolean;
  /** Its details are shown. */
  isSelected: boolean;
  pattern: RegExp | null;
  index: number;
};

/** A line of the log in columns; one that has none of the gateway's own form stands as it is. */
export const LogTableRow = memo(function LogTableRow(props: LogTableRowProps) {
  const { line, columns, isGap, isCurrent, isSelected, pattern, index } = props;
  const parsed = isGap ? null : parseLine(line.text);
  return (
    <LogTableLine
      id={rowDomId(line.id)}
      kind={columns.kind}
      level={lookOf(line.text, isGap)}
      whole={parsed === null}
      remark={isGap}
      current={isCurrent}
      selected={isSelected}
      data-index={index}
    >
      {parsed === null ? (
        <span className="truncate">{isGap ? line.text : highlight(printable(line.text), pattern)}</span>
      ) : (
        <Cells
          kind={columns.kind}
          shown={{ line: parsed, text: printable(line.text), details: line.details, zone: columns.zone, pattern }}
        />
      )}
    </LogTableLine>
  );
});

function Cells({ kind, shown }: { kind: LogTableKind; shown: Shown }) {
  if (kind !== 'phone') return logTableCells(COLUMNS[kind], (column) => cellOf(column, shown, column.width));
  return (
    <>
      <LogPhoneLine>
        {cellOf(status, shown)} {cellOf(method, shown)} {cellOf(path, shown)}
      </LogPhoneLine>
      <LogPhoneLine>
        <span className="text-muted">
          {cellOf(time, shown)} · {cellOf(duration, shown)} · {cellOf(visitor, shown)}
        </span>
      </LogPhoneLine>
    </>
  );
}
