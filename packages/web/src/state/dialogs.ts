import type { ReactNode } from 'react';
import type { ConfirmOptions } from '../ui/overlays/Dialog.tsx';
import { createStore } from './store.ts';

/** A dialog on the screen. The shell draws them in their order, the last one on top. */
export type OpenDialog =
  | { id: number; kind: 'confirm'; options: ConfirmOptions; answer: (accepted: boolean) => void }
  | { id: number; kind: 'custom'; content: ReactNode };

export const dialogs = createStore<readonly OpenDialog[]>([]);

let nextId = 1;
const remove = (id: number) => dialogs.set((open) => open.filter((dialog) => dialog.id !== id));

/** Asks the administrator: true on accept, false on cancel or Escape. */
export function confirm(options: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const id = nextId++;
    const answer = (accepted: boolean) => {
      remove(id);
      resolve(accepted);
    };
    dialogs.set((open) => [...open, { id, kind: 'confirm', options, answer }]);
  });
}

/**
 * Shows a dialog; `draw` gets the function that closes it with a result. Resolves to that result, or to null when the
 * dialog was left without one.
 */
export function openDialog<T = never>(draw: (close: (result?: T) => void) => ReactNode): Promise<T | null> {
  return new Promise((resolve) => {
    const id = nextId++;
    const content = draw((result) => {
      remove(id);
      resolve(result ?? null);
    });
    dialogs.set((open) => [...open, { id, kind: 'custom', content }]);
  });
}

/** Takes every dialog off the screen, as when the session ends. */
export function closeDialogs(): void {
  for (const dialog of dialogs.get()) {
    if (dialog.kind === 'confirm') dialog.answer(false);
  }
  dialogs.set([]);
}
