import {
  type BufferedLine,
  formatBytes,
  type Level,
  levelOf,
  parseDetails,
  parseLine,
  printable,
  type RequestLine,
} from '@sallyport/sdk';
import { memo, type ReactNode } from 'react';
import {
  LOG_TABLE_PHONE_PX,
  LOG_TABLE_ROW_PX,
  LogCell,
  type LogColumn,
  LogStatus,
  LogTableHead,
  type LogTableKind,
  LogTableLine,
} from '../../ui/log/LogTableLine.tsx';
import type { LogLevel } from '../../ui/log/LogPanel.tsx';
import { highlight } from './highlight.tsx';
import { requestOf } from './logFilter.ts';

/** The look of each level. */
export const LEVELS: Record<Level, LogLevel> = { ERROR: 'error', WARN: 'warn', INFO: 'info', DEBUG: 'debug' };

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
  return day === wallTime(now, zone).day ? time : `${day.slice(5)} ${time.slice(0, 5)}`;
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
type Column = LogColumn & { cell: (shown: Shown) => ReactNode };

/**
 * A value with what the search finds in its line marked, also where that goes on in the next column.
 * @param from the value stands after this place in the line
 */
function marked({ text, pattern }: Shown, value: string | number | null, from = 0): ReactNode {
  if (value === null) return '–';
  const shown = printable(String(value));
  const at = text.indexOf(shown, from);
  return highlight(text, pattern, at, at + shown.length);
}

// The request is the first that stands in quotes.
const requestAt = ({ text }: Shown) => text.indexOf('"') + 1;
const requestEnd = (shown: Shown) => requestAt(shown) + printable(shown.line.request).length;
const methodOf = (shown: Shown) => marked(shown, requestOf(shown.line).method, requestAt(shown));
const pathOf = (shown: Shown) => {
  const { method, path } = requestOf(shown.line);
  return marked(shown, path, requestAt(shown) + printable(method).length);
};

const time: Column = {
  title: 'Time',
  cell: ({ line, zone }) => <time title={line.time ?? ''}>{clockTime(line.time, zone)}</time>,
};
const status: Column = {
  title: 'Status',
  cell: (shown) => (
    <LogStatus level={LEVELS[shown.line.level]}>{marked(shown, shown.line.status, requestEnd(shown))}</LogStatus>
  ),
};
const visitor: Column = {
  title: 'Visitor',
  cell: (shown) => <span title={shown.line.client ?? ''}>{marked(shown, shown.line.client)}</span>,
};
const sent: Column = { title: 'Size', numeric: true, wide: true, cell: ({ line }) => formatBytes(line.bytes) };
const backend: Column = {
  title: 'Backend',
  wide: true,
  cell: (shown) => (
    <span title={shown.line.upstream ?? ''}>{marked(shown, shown.line.upstream, requestEnd(shown))}</span>
  ),
};

const COLUMNS: Record<'http' | 'tcp', readonly Column[]> = {
  http: [
    time,
    status,
    { title: 'Method', cell: methodOf },
    { title: 'Path', cell: pathOf },
    visitor,
    { title: 'Duration', numeric: true, cell: ({ line }) => formatDuration(line.milliseconds) },
    sent,
    backend,
  ],
  tcp: [
    time,
    status,
    { title: 'Protocol', cell: methodOf },
    { title: 'Port', numeric: true, cell: pathOf },
    visitor,
    { title: 'Lasted', numeric: true, cell: ({ line }) => formatDuration(line.milliseconds) },
    {
      title: 'Received',
      numeric: true,
      wide: true,
      cell: ({ details }) => formatBytes(parseDetails(details).received),
    },
    { ...sent, title: 'Sent' },
    backend,
  ],
};

/** The titles of the columns, above the panel. */
export function LogColumnTitles({ columns: { kind } }: { columns: LogColumns }) {
  return kind === 'phone' ? null : <LogTableHead kind={kind} columns={COLUMNS[kind]} />;
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
  const level = isGap ? null : levelOf(line.text);
  return (
    <LogTableLine
      id={rowDomId(line.id)}
      kind={columns.kind}
      level={level ? LEVELS[level] : 'neutral'}
      whole={parsed === null}
      remark={isGap}
      current={isCurrent}
      selected={isSelected}
      data-index={index}
    >
      {parsed === null ? (
        <span className="self-center truncate">{isGap ? line.text : highlight(printable(line.text), pattern)}</span>
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
  if (kind !== 'phone') {
    return COLUMNS[kind].map((column) => (
      <LogCell key={column.title} column={column}>
        {column.cell(shown)}
      </LogCell>
    ));
  }
  return (
    <>
      <LogCell column={{}}>
        {status.cell(shown)} {methodOf(shown)} {pathOf(shown)}
      </LogCell>
      <LogCell column={{}}>
        <span className="text-muted">
          {time.cell(shown)} · {formatDuration(shown.line.milliseconds)} · {visitor.cell(shown)}
        </span>
      </LogCell>
    </>
  );
}
