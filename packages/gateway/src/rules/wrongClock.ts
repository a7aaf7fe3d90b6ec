/** No clock is right that is before 2026, in milliseconds since 1970. A machine without a battery begins there until it has asked for the time. */
export const EARLIEST_MS = 1_767_225_600_000;

/** Whether a clock that shows this time was not set yet. */
export const isClockWrong = (now: Date): boolean => now.getTime() < EARLIEST_MS;

/** What to do about it. */
export const SET_CLOCK = 'timedatectl set-ntp true';
