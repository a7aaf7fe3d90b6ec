import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('rings at its time, once, and not when it was given up', () => {
  const ring = vi.fn<() => void>();
  const lost = vi.fn<() => void>();
  systemClock.wake(new Date(Date.now() + 90 * MINUTE_MS), ring);
  systemClock.wake(new Date(Date.now() + 90 * MINUTE_MS), lost)();
  vi.advanceTimersByTime(89 * MINUTE_MS);
  expect(ring).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100 * MINUTE_MS);
  expect(ring).toHaveBeenCalledTimes(1);
  expect(lost).not.toHaveBeenCalled();
});

it('rings a minute later at most on a machine that has slept past the time, or whose clock was set', () => {
  const ring = vi.fn<() => void>();
  systemClock.wake(new Date(Date.now() + 90 * MINUTE_MS), ring);
  vi.setSystemTime(Date.now() + 120 * MINUTE_MS);
  vi.advanceTimersByTime(MINUTE_MS + 1);
  expect(ring).toHaveBeenCalledTimes(1);
});
