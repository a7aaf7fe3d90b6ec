import { expect, it, vi } from 'vitest';
import { releaseMemory } from './releaseMemory.ts';

it('gives memory back once, when no change came for a while', ({ onTestFinished }) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const listeners = new Set<() => void>();
  const change = (): void => listeners.forEach((listener) => listener());
  let collected = 0;
  const stop = releaseMemory(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    (() => {
      collected += 1;
    }) as NodeJS.GCFunction,
  );
  for (let count = 0; count < 10; count += 1) {
    change();
    vi.advanceTimersByTime(19_000);
  }
  expect(collected).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(collected).toBe(1);
  change();
  stop();
  vi.advanceTimersByTime(60_000);
  expect([collected, listeners.size]).toEqual([1, 0]);
});
