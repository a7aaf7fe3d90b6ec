import { describe, expect, it } from 'vitest';
import { dayOf, endOfDay } from './calendarDay.ts';

describe('a chosen day', () => {
  it('means its end where the reader is', () => {
    const end = new Date(endOfDay('2027-03-01'));
    expect([end.getFullYear(), end.getMonth(), end.getDate()]).toEqual([2027, 2, 1]);
    expect(new Date(end.getTime() + 1).getDate()).toBe(2);
  });

  it.each(['2027-01-01', '2027-12-31', '2028-02-29', '0031-05-04'])('%s is shown as it was chosen', (day) => {
    expect(dayOf(endOfDay(day))).toBe(day);
  });

  it.each(['', 'soon', '2027-13-01', '202612-01-01'])('stays as it is when it is none: "%s"', (text) => {
    expect(endOfDay(text)).toBe(text);
    expect(dayOf(text === '' ? text : 'soon')).toBe('');
  });
});
