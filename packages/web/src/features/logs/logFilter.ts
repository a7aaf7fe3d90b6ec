import { levelOf, statusOf, type Level } from '@sallyport/sdk';

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

/** Which lines are shown: those of one of the levels and of one of the classes of status; an empty list is no demand. */
export type LogFilter = { levels: readonly LevelChoice[]; statuses: readonly StatusChoice[] };

export const NO_FILTER: LogFilter = { levels: [], statuses: [] };

export const isFiltering = ({ levels, statuses }: LogFilter): boolean => levels.length > 0 || statuses.length > 0;

/** Whether a line is shown. A line without a status has none of the classes. */
export function passes({ levels, statuses }: LogFilter, text: string): boolean {
  if (levels.length > 0 && !levels.includes(levelOf(text) ?? 'OTHER')) return false;
  if (statuses.length === 0) return true;
  const first = String(statusOf(text) ?? '').charAt(0);
  return statuses.some((choice) => choice === first);
}

/** Finds a text wherever it stands, in capitals or not; null for no text. It has the flag `g`. */
export const patternOf = (text: string): RegExp | null =>
  text === '' ? null : new RegExp(text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), 'gi');
