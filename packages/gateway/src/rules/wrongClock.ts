/** No clock is right that is before this was written. A machine without a battery begins there until it has asked for the time. */
export const EARLIEST = new Date('2026-01-01T00:00:00Z');

/** Whether a clock that shows this time was not set yet. */
export const isClockWrong = (now: Date): boolean => now.getTime() < EARLIEST.getTime();

/** What to do about it. */
export const SET_CLOCK = 'timedatectl set-ntp true';
