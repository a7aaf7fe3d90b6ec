import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Backoff, createBackoff } from './backoff.ts';

let run: ReturnType<typeof vi.fn<() => void>>;
let backoff: Backoff;
beforeEach(() => {
  vi.useFakeTimers();
  run = vi.fn();
  backoff = createBackoff(run, { min: 10, max: 40 });
});
afterEach(() => {
  backoff.stop();
  vi.useRealTimers();
});

/** Milliseconds until it runs. */
const wait = (): number => {
  const before = run.mock.calls.length;
  let ms = 0;
  while (run.mock.calls.length === before && ms < 1000) {
    vi.advanceTimersByTime(1);
    ms += 1;
  }
  return ms;
};

it('waits longer each time, up to a limit', () => {
  const waits = Array.from({ length: 5 }, () => {
    backoff.later();
    return wait();
  });
  expect(waits).toEqual([10, 20, 40, 40, 40]);
});

it('keeps to the one that waits already', () => {
  backoff.later();
  vi.advanceTimersByTime(9);
  backoff.later();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(run).toHaveBeenCalledTimes(1);
});

it('begins again after a reset, also for the one that waits', () => {
  for (let times = 0; times < 3; times += 1) {
    backoff.later();
    wait();
  }
  backoff.later();
  backoff.reset();
  expect(wait()).toBe(10);
});

it('runs nothing more once it is stopped', () => {
  backoff.later();
  backoff.stop();
  backoff.later();
  vi.advanceTimersByTime(1000);
  expect(run).not.toHaveBeenCalled();
});
