import { createStore } from './store.ts';

/** How long a toast stays. */
export const TOAST_MS = 3000;

export type ToastType = 'info' | 'error' | 'success' | 'warning';
export type Toast = { id: number; message: string; type: ToastType; durationMs: number };

type Clock = { remainingMs: number; startedAt: number; handle: ReturnType<typeof setTimeout> | null };

/** Short messages that vanish by themselves, but not while the administrator points at them. */
export function createToasts() {
  const list = createStore<readonly Toast[]>([]);
  const clocks = new Map<number, Clock>();
  let held = false;
  let nextId = 1;

  const close = (id: number) => {
    const handle = clocks.get(id)?.handle;
    if (handle) clearTimeout(handle);
    clocks.delete(id);
    list.set((toasts) => toasts.filter((toast) => toast.id !== id));
    // A toast that is closed under the pointer sends no event that would end the hold.
    if (clocks.size === 0) held = false;
  };
  const run = (id: number, clock: Clock) => {
    clock.startedAt = Date.now();
    clock.handle = setTimeout(() => close(id), clock.remainingMs);
  };

  return {
    get: list.get,
    subscribe: list.subscribe,
    /** Returns what closes it early. */
    show(message: string, type: ToastType = 'info', durationMs = TOAST_MS): Toast['id'] {
      const id = nextId++;
      const clock: Clock = { remainingMs: durationMs, startedAt: Date.now(), handle: null };
      clocks.set(id, clock);
      list.set((toasts) => [...toasts, { id, message, type, durationMs }]);
      if (!held) run(id, clock);
      return id;
    },
    close,
    /** Stops the time of all toasts, and lets it go on. */
    hold(next: boolean) {
      if (next === held) return;
      held = next;
      for (const [id, clock] of clocks) {
        if (!held) run(id, clock);
        else if (clock.handle) {
          clearTimeout(clock.handle);
          clock.handle = null;
          clock.remainingMs -= Date.now() - clock.startedAt;
        }
      }
    },
    clear() {
      for (const id of clocks.keys()) close(id);
    },
  };
}

/** The toasts of this window. */
export const toasts = createToasts();
