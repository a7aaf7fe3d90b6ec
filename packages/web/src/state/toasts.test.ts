import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createToasts, HELD_BY_FOCUS, HELD_BY_POINTER, TOAST_MS } from './toasts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('shows a message for 3000 ms', () => {
  const toasts = createToasts();
  toasts.show('Node connected successfully!', 'success');
  expect(toasts.get()).toMatchObject([{ message: 'Node connected successfully!', type: 'success', durationMs: 3000 }]);
  vi.advanceTimersByTime(TOAST_MS - 1);
  expect(toasts.get()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(toasts.get()).toEqual([]);
});

it('holds the time of all messages while the administrator points at them', () => {
  const toasts = createToasts();
  toasts.show('first');
  vi.advanceTimersByTime(2000);
  toasts.hold(true, HELD_BY_POINTER);
  toasts.show('second');
  vi.advanceTimersByTime(60_000);
  expect(toasts.get().map(({ message }) => message)).toEqual(['first', 'second']);
  toasts.hold(false, HELD_BY_POINTER);
  vi.advanceTimersByTime(1000);
  expect(toasts.get().map(({ message }) => message)).toEqual(['second']);
  vi.advanceTimersByTime(2000);
  expect(toasts.get()).toEqual([]);
});

it('lets the time go on after a message was closed under the pointer', () => {
  const toasts = createToasts();
  toasts.show('first');
  toasts.hold(true, HELD_BY_POINTER);
  toasts.close(toasts.get()[0]?.id ?? 0);
  toasts.show('second');
  vi.advanceTimersByTime(TOAST_MS);
  expect(toasts.get()).toEqual([]);
});

it('goes on only once neither the pointer nor the focus is on them, and after the focus was on one that was closed', () => {
  const toasts = createToasts();
  const first = toasts.show('first');
  toasts.show('second', 'info', 2 * TOAST_MS);
  toasts.hold(true, HELD_BY_POINTER);
  toasts.hold(true, HELD_BY_FOCUS);
  toasts.hold(false, HELD_BY_POINTER);
  vi.advanceTimersByTime(60_000);
  expect(toasts.get()).toHaveLength(2);
  toasts.close(first);
  vi.advanceTimersByTime(2 * TOAST_MS);
  expect(toasts.get()).toEqual([]);
});
