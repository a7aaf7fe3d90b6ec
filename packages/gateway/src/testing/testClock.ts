import type { Clock } from '../world.ts';

/** A clock that stands until it is moved. */
export type TestClock = Clock & {
  /** Moves it on and rings every alarm that is passed on the way, in order. */
  advance(ms: number): void;
};

export function createTestClock(start: Date): TestClock {
  let at = start.getTime();
  const alarms = new Set<{ time: number; ring: () => void }>();
  return {
    now: () => new Date(at),
    wake(when, ring) {
      const alarm = { time: when.getTime(), ring };
      alarms.add(alarm);
      // An alarm of the past rings at once, as a real one does, but never within this call.
      if (alarm.time <= at) queueMicrotask(() => alarms.delete(alarm) && ring());
      return () => void alarms.delete(alarm);
    },
    advance(ms) {
      const end = at + ms;
      for (;;) {
        const [next] = [...alarms].filter(({ time }) => time <= end).toSorted((a, b) => a.time - b.time);
        if (next === undefined) break;
        at = Math.max(at, next.time);
        alarms.delete(next);
        next.ring();
      }
      at = end;
    },
  };
}
