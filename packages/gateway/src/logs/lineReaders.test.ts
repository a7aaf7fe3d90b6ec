import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLineReaders } from './lineReaders.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('hold up what comes while they are behind, unless they take nothing any more', async () => {
  let holds = false;
  function* nothing(_name: string, last = 0) {
    yield;
    return { texts: [], last, id: '0', bytes: 0 };
  }
  const lines = {
    lastTimes: () => new Map<string, number>(),
    find: () => null,
    last: (name: string) => nothing(name),
    after: nothing,
  };
  const readers = createLineReaders({
    lines: () => lines,
    watch: () => undefined,
    hold: (on) => (holds = on),
    failed: () => undefined,
  });
  const begun = Promise.withResolvers<void>();
  const reader = readers.open('http/1', { count: 0, afterId: null });
  const stop = reader.read({
    push: () => begun.resolve(),
    room: () => new Promise(() => undefined),
    end: () => undefined,
  });
  await begun.promise;
  readers.stored([['http/1', 300_000]]);
  expect(holds).toBe(true);
  vi.advanceTimersByTime(2000);
  readers.stored([['http/1', 1]]);
  expect(holds).toBe(false);
  stop();
});
