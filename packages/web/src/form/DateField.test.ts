import { describe, expect, it } from 'vitest';
import { endOfDay, momentOf } from './DateField.tsx';

describe('a chosen day', () => {
  it('means its end where the reader is', () => {
    const end = new Date(endOfDay(new Date(2027, 2, 1)));
    expect([end.getFullYear(), end.getMonth(), end.getDate()]).toEqual([2027, 2, 1]);
    expect(new Date(end.getTime() + 1).getDate()).toBe(2);
  });

  it.each([
    [2027, 0, 1],
    [2027, 11, 31],
    [2028, 1, 29],
    // The clocks change within these days in some zones.
    [2027, 2, 28],
    [2027, 9, 31],
  ] as const)('%i-%i-%i is shown as it was chosen', (year, month, day) => {
    const shown = momentOf(endOfDay(new Date(year, month, day, 12)));
    expect([shown?.getFullYear(), shown?.getMonth(), shown?.getDate()]).toEqual([year, month, day]);
  });

  it('is empty when it was cleared', () => {
    expect(endOfDay(undefined)).toBe('');
  });
});

it.each(['', 'soon', null, 7])('%j is no moment', (value) => {
  expect(momentOf(value)).toBeUndefined();
});
