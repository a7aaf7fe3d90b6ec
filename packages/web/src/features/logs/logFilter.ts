import { levelOf, parseLine, type RequestLine, statusOf, type Level } from '@sallyport/sdk';

export const levelChoices = [
  { value: 'ERROR', label: 'Error' },
  { value: 'WARN', label: 'Warn' },
  { value: 'INFO', label: 'Info' },
  { value: 'DEBUG', label: 'Debug' },
  { value: 'OTHER', label: 'Other' },
] as const satisfies readonly { value: Level | 'OTHER'; label: string }[];
/** A level, or the lack of one. */
export type LevelChoice = (typeof levelChoices)[number]['value'];

export const statusChoices = [
  { value: '1', label: '1xx' },
  { value: '2', label: '2xx' },
  { value: '3', label: '3xx' },
  { value: '4', label: '4xx' },
  { value: '5', label: '5xx' },
] as const;
/** The first digit of an HTTP status. */
export type StatusChoice = (typeof statusChoices)[number]['value'];

/** What a line can be told apart by, in the words of a button: "Only this visitor". */
export const onlyChoices = ['visitor', 'path', 'status'] as const;
export type OnlyChoice = (typeof onlyChoices)[number];

/**
 * Which lines are shown: those of one of the levels, of one of the classes of status, and with what `only` says; an empty
 * list is no demand.
 */
export type LogFilter = {
  levels: readonly LevelChoice[];
  statuses: readonly StatusChoice[];
  only: Partial<Record<OnlyChoice, string>>;
};

export const NO_FILTER: LogFilter = { levels: [], statuses: [], only: {} };

/** How many demands a filter has. */
export const demandsOf = ({ levels, statuses, only }: LogFilter): number =>
  levels.length + statuses.length + Object.keys(only).length;
export const isFiltering = (filter: LogFilter): boolean => demandsOf(filter) > 0;

/** `GET /path?x=1 HTTP/2.0` in its parts; of a TCP or UDP connection, the protocol and the port. */
export type Request = { method: string; path: string; protocol: string };

export function requestOf({ request }: Pick<RequestLine, 'request'>): Request {
  const [, method = request, path = '', protocol = ''] = /^(\S+) (.*?)(?: (HTTP\/\S+))?$/.exec(request) ?? [];
  return { method, path, protocol };
}

/** What a line says of each that can be chosen alone. */
export const choiceOf: Record<OnlyChoice, (line: RequestLine) => string | null> = {
  visitor: ({ client }) => client,
  path: (line) => requestOf(line).path,
  status: ({ status }) => (status === null ? null : String(status)),
};

/** Whether a line is shown. A line without a status has none of the classes. */
export function passes({ levels, statuses, only }: LogFilter, text: string): boolean {
  if (levels.length > 0 && !levels.includes(levelOf(text) ?? 'OTHER')) return false;
  const line = Object.keys(only).length > 0 ? parseLine(text) : null;
  for (const choice of onlyChoices) {
    if (only[choice] !== undefined && (line === null || choiceOf[choice](line) !== only[choice])) return false;
  }
  if (statuses.length === 0) return true;
  const first = String(statusOf(text) ?? '').charAt(0);
  return statuses.some((choice) => choice === first);
}

/** Finds a text wherever it stands, in capitals or not; null for no text. It has the flag `g`. */
export const patternOf = (text: string): RegExp | null =>
  text === '' ? null : new RegExp(text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), 'gi');
