import { describe, expect, test } from 'vitest';
import { formatBytes, formatClosing, formatCount, formatDate, formatExact, formatRelative } from './format.ts';

test.each([
  [null, '-'],
  [undefined, '-'],
  [0, '-'],
  [Number.NaN, '-'],
  [1, '1 Bytes'],
  [1023, '1023 Bytes'],
  [1024, '1.00 KB'],
  [1536, '1.50 KB'],
  [1_048_575, '1.00 MB'],
  [1_048_576, '1.00 MB'],
  [123_456_789, '117.74 MB'],
  [1024 ** 3, '1.00 GB'],
  [5.5 * 1024 ** 4, '5.50 TB'],
  [2048 * 1024 ** 4, '2048.00 TB'],
])('%s bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  ['time-limit', 'Asia/Tokyo', 'Closed at 23:05 by its time limit'],
  ['time-limit', 'Pacific/Auckland', 'Closed at 03:05 by its time limit'],
  ['administrator', 'UTC', 'Closed at 14:05 by an administrator'],
  ['node', 'UTC', "Closed at 14:05 by its node's access token"],
] as const)('what was closed by %s is so at the time of %s', (closedBy, timeZone, words) => {
  const closed = { closedAt: '2026-11-21T14:05:59.999Z', closedBy };
  expect(formatClosing(closed, new Date('2026-11-21T14:10:00Z'), { timeZone })).toBe(words);
});

test('what was closed on another day has its date, and what is open nothing', () => {
  const closed = { closedAt: '2026-11-21T23:59:00Z', closedBy: 'time-limit' } as const;
  const now = new Date('2026-11-22T00:01:00Z');
  expect(formatClosing(closed, now, { timeZone: 'UTC' })).toBe('Closed on 11/21/2026 at 23:59 by its time limit');
  expect(formatClosing({ closedAt: null, closedBy: null }, now)).toBeNull();
});

test.each([
  [0, '0 nodes'],
  [1, '1 node'],
  [2, '2 nodes'],
])('%d of something is %s', (count, text) => {
  expect(formatCount(count, 'node')).toBe(text);
});

describe('a date', () => {
  const utc = { timeZone: 'UTC' };

  test('is month, day and year', () => {
    expect(formatDate('2026-03-01T00:00:00Z', utc)).toBe('03/01/2026');
    expect(formatDate(new Date('2026-11-21T23:59:59Z'), utc)).toBe('11/21/2026');
    expect(formatDate('2026-11-21T23:59:59Z', { timeZone: 'Asia/Tokyo' })).toBe('11/22/2026');
  });

  test('is in the zone of the reader unless told otherwise', () => {
    const noon = new Date(2026, 10, 21, 12);
    expect(formatDate(noon)).toBe('11/21/2026');
  });

  test('in full has time and zone', () => {
    expect(formatExact('2026-11-21T07:10:11.999Z', utc)).toBe('11/21/2026, 07:10:11 UTC');
    expect(formatExact('2026-11-21T00:00:00Z', utc)).toBe('11/21/2026, 00:00:00 UTC');
  });

  test.each([null, undefined, '', 'soon', Number.NaN])('that is %j is a dash', (moment) => {
    expect(formatDate(moment)).toBe('-');
    expect(formatExact(moment)).toBe('-');
  });
});

describe('a moment as seen from now', () => {
  const now = new Date('2026-11-21T10:00:00.000Z');
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;

  test.each([
    [0, 'just now'],
    [-59 * SECOND, 'just now'],
    [59 * SECOND, 'just now'],
    [-MINUTE, '1 minute ago'],
    [-119 * SECOND, '1 minute ago'],
    [-2 * MINUTE, '2 minutes ago'],
    [-59 * MINUTE, '59 minutes ago'],
    [-HOUR, '1 hour ago'],
    [3 * HOUR, 'in 3 hours'],
    [-DAY, '1 day ago'],
    [-29 * DAY, '29 days ago'],
    [-30 * DAY, '1 month ago'],
    [-364 * DAY, '12 months ago'],
    [-365 * DAY, '1 year ago'],
    [800 * DAY, 'in 2 years'],
  ])('%i ms away is %s', (distance, text) => {
    expect(formatRelative(now.getTime() + distance, now)).toBe(text);
    expect(formatRelative(new Date(now.getTime() + distance).toISOString(), now.getTime())).toBe(text);
  });

  test.each([null, undefined, '', 0, 'soon'])('that is %j was never', (moment) => {
    expect(formatRelative(moment, now)).toBe('never');
  });
});
