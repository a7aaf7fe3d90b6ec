/** Where a line stands in nginx's log: the number of the file, which no other file ever has, and the line's end. */
export type LogPlace = { serial: number; end: number };

/** The place in front of everything that was ever written. */
export const LOG_BEGINNING = '0';

/** A line's id: stable across restarts, printable, without spaces. */
export const logId = ({ serial, end }: LogPlace): string => `${serial.toString(36)}-${end.toString(36)}`;

/** The place that an id names; null when it is not an id of a line. */
export function logPlace(id: string): LogPlace | null {
  const [, serial, end] = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})$/.exec(id) ?? [];
  return serial === undefined || end === undefined
    ? null
    : { serial: Number.parseInt(serial, 36), end: Number.parseInt(end, 36) };
}
