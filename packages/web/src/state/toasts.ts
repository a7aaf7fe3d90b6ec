import type { ReactNode } from 'react';
import { createStore } from './store.ts';

/** How long a toast stays. */
export const TOAST_MS = 3000;

export type ToastType = 'info' | 'error' | 'success' | 'warning';
export type Toast = { id: number; message: ReactNode; type: ToastType; durationMs: number };

type Clock = { remainingMs: number; startedAt: number; handle: ReturnType<typeof setTimeout> | null };

/** What stops the time of toasts. */
export const HELD_BY_POINTER = 1;
export const HELD_BY_FOCUS = 2;

/** Short messages that vanish by themselves, but not while the pointer or the focus is on them. */
export function createToasts() {
  const list = createStore<readonly Toast[]>([]);
  const clocks = new Map<number, Clock>();
  // One bit for each.
  let held = 0;
  let nextId = 1;

  const close = (id: number) => {
    const handle = clocks.get(id)?.handle;
    if (handle) clearTimeout(handle);
    clocks.delete(id);
    list.set((toasts) => toasts.filter((toast) => toast.id !== id));
    // A toast that is closed under the pointer or with the focus sends no event that would end the hold.
    hold(false, clocks.size === 0 ? held : HELD_BY_FOCUS);
  };
  const run = (id: number, clock: Clock) => {
    clock.startedAt = Date.now();
    clock.handle = setTimeout(() => close(id), clock.remainingMs);
  };

  /** Stops the time of all toasts, and lets it go on once nothing stops it. */
  const hold = (next: boolean, by: number) => {
    const before = held;
    held = next ? held | by : held & ~by;
    if (!held === !before) return;
    for (const [id, clock] of clocks) {
      if (!held) run(id, clock);
      else if (clock.handle) {
        clearTimeout(clock.handle);
        clock.handle = null;
        clock.remainingMs -= Date.now() - clock.startedAt;
      }
    }
  };

  return {
    get: list.get,
    subscribe: list.subscribe,
    /** Returns what closes it early. */
    show(message: ReactNode, type: ToastType = 'info', durationMs = TOAST_MS): Toast['id'] {
      const id = nextId++;
      const clock: Clock = { remainingMs: durationMs, startedAt: Date.now(), handle: null };
      clocks.set(id, clock);
      list.set((toasts) => [...toasts, { id, message, type, durationMs }]);
      if (!held) run(id, clock);
      return id;
    },
    close,
    hold,
    clear() {
      for (const id of clocks.keys()) close(id);
    },
  };
}

/** The toasts of this window. */
export const toasts = createToasts();
