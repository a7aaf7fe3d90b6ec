import type { ReactNode } from 'react';
import { createStore } from './store.ts';

type OpenDialog = { id: number; content: ReactNode; close: () => void };

/** The dialogs on the screen. The shell draws them in their order, the last one on top. */
export const dialogs = createStore<readonly OpenDialog[]>([]);

let nextId = 1;

/**
 * Shows a dialog; `draw` gets the function that closes it with a result. Resolves to that result, or to null when the
 * dialog was left without one.
 */
export function openDialog<T = never>(draw: (close: (result?: T) => void) => ReactNode): Promise<T | null> {
  return new Promise((resolve) => {
    const id = nextId++;
    const close = (result?: T) => {
      dialogs.set((open) => open.filter((dialog) => dialog.id !== id));
      resolve(result ?? null);
    };
    const content = draw(close);
    dialogs.set((open) => [...open, { id, content, close }]);
  });
}

/** Takes every dialog off the screen, as when the session ends. */
export function closeDialogs(): void {
  for (const { close } of dialogs.get()) close();
}
