import { crc32 } from 'node:zlib';

/** A place in the kept lines of one log, always behind a line break: the number of a file, and an offset in it. */
export type LogCursor = { segment: number; offset: number };

/** The place in front of everything that was ever written. */
export const LOG_BEGINNING = '0';

/** Stands for lines that are not on disk yet: whoever comes back with it begins anew. */
export const UNKEPT_ID = 'unkept';

/** So many bytes in front of a place, or all there are, tell whether it is still the same place. */
export const CHECK_BYTES = 256;

/**
 * A line's id is the place behind it: stable across restarts, because files are only appended to and dropped as a whole.
 * @param before what stands in front of the place, `CHECK_BYTES` of it if there are as many
 */
export function logId({ segment, offset }: LogCursor, before: Buffer): string {
  if (segment === 1 && offset === 0) return LOG_BEGINNING;
  return [segment, offset, checkOf(before)].map((number) => number.toString(36)).join('-');
}

/** The place that an id names, and what `checkOf` must say of it; null when it is not an id of a line. */
export function logPlace(id: string): (LogCursor & { check: number }) | null {
  const [, segment, offset, check] = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})-([0-9a-z]{1,7})$/.exec(id) ?? [];
  if (segment === undefined || offset === undefined || check === undefined) return null;
  return {
    segment: Number.parseInt(segment, 36),
    offset: Number.parseInt(offset, 36),
    check: Number.parseInt(check, 36),
  };
}

/** A sum over what stands in front of a place. */
export const checkOf = (before: Buffer): number => crc32(before.subarray(-CHECK_BYTES));
