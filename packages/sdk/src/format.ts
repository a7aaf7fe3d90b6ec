import type { HttpService } from './contract/httpService.ts';
import type { Closer } from './contract/service.ts';

const LOCALE = 'en-US';
const NONE = '-';
const STEP = 1024;
const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** A moment: a `Date`, ISO 8601 text, or milliseconds since 1970; null: there is none. */
export type Moment = Date | string | number | null | undefined;

/** Where a date is shown in another zone than the reader's own. */
export type ZoneOptions = { timeZone?: string | undefined };

/** The moment as a date; null when there is none, or when it is not one. */
function dateOf(moment: Moment): Date | null {
  if (moment === null || moment === undefined || moment === '') return null;
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? null : date;
}

/**
 * A transferred amount: `1.50 KB`; steps of 1024. `-` when there is none or nothing was transferred.
 *
 * @param bytes Bytes.
 */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes) || bytes <= 0) return NONE;
  if (bytes < STEP) return `${Math.round(bytes)} ${UNITS[0]}`;
  let value = bytes;
  let unit = 0;
  // 1023.996 would be shown as 1024.00, which is the next unit.
  while (unit < UNITS.length - 1 && Number(value.toFixed(2)) >= STEP) {
    value /= STEP;
    unit += 1;
  }
  return `${value.toFixed(2)} ${UNITS[unit]}`;
}

/** So many of something: `1 node`, `2 nodes`. The noun takes an `s`. */
export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** MM/dd/yyyy; `-` when there is no date. */
export function formatDate(moment: Moment, { timeZone }: ZoneOptions = {}): string {
  const date = dateOf(moment);
  if (!date) return NONE;
  return date.toLocaleDateString(LOCALE, { day: '2-digit', month: '2-digit', year: 'numeric', timeZone });
}

/** Date, time to the second and zone, as a hint next to a shorter form: `11/21/2026, 07:10:11 UTC`; `-` for none. */
export function formatExact(moment: Moment, { timeZone }: ZoneOptions = {}): string {
  const date = dateOf(moment);
  if (!date) return NONE;
  return date.toLocaleString(LOCALE, {
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone,
    timeZoneName: 'short',
  });
}

const CLOSERS: Readonly<Record<Closer, string>> = {
  administrator: 'an administrator',
  node: "its node's access token",
  'time-limit': 'its time limit',
};

/**
 * When a service was closed, and by what: `Closed at 14:05 by its time limit`; on another day than today with the date.
 * Null while it is open, and where that was not recorded.
 */
export function formatClosing(
  { closedAt, closedBy }: Pick<HttpService, 'closedAt' | 'closedBy'>,
  now: Date | number,
  { timeZone }: ZoneOptions = {},
): string | null {
  const date = dateOf(closedAt);
  if (!date || closedBy === null) return null;
  const day = formatDate(date, { timeZone });
  const time = date.toLocaleTimeString(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone });
  const on = day === formatDate(new Date(now), { timeZone }) ? '' : `on ${day} `;
  return `Closed ${on}at ${time} by ${CLOSERS[closedBy]}`;
}

const MINUTE_MS = 60_000;
const STEPS_MS = [
  ['year', 365 * 24 * 60 * MINUTE_MS],
  ['month', 30 * 24 * 60 * MINUTE_MS],
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
] as const;

/** Made when it is first needed: anyone who formats nothing does not wait for it. */
let relative: Intl.RelativeTimeFormat | undefined;

/**
 * A moment as seen from `now`: `just now` (less than a minute away), `2 minutes ago`, `in 3 hours`; `never` when there is
 * none. 0 counts as none: WireGuard gives it for a handshake that never was.
 */
export function formatRelative(moment: Moment, now: Date | number): string {
  const date = dateOf(moment);
  if (!date || date.getTime() === 0) return 'never';
  const distanceMs = date.getTime() - Number(now);
  const step = STEPS_MS.find(([, ms]) => Math.abs(distanceMs) >= ms);
  if (!step) return 'just now';
  relative ??= new Intl.RelativeTimeFormat(LOCALE, { numeric: 'always' });
  return relative.format(Math.trunc(distanceMs / step[1]), step[0]);
}
