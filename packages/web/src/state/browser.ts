import { useEffect, useState } from 'react';

/** Where a key is typed, or chooses; a box is only ticked. */
export const TYPED_FIELDS = 'input:not([type=checkbox]), textarea, select, [contenteditable]';

/** Which of the two keys commands are given with on this machine: Cmd, or Ctrl. */
export const isMac = /^(?:Mac|iP)/.test(navigator.platform);

/** The title of the browser's tab while a screen is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sallyport`;
  }, [title]);
}

/** The current time, drawn again every `everyMs`, for times that are told from now. */
export function useNow(everyMs = 1000): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** Whether that much time has passed since the component came on the screen. */
export function useAfter(ms: number): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsOver(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isOver;
}

let pressed = false;
let waiting: (() => void)[] = [];

const release = () => {
  pressed = false;
  const actions = waiting;
  waiting = [];
  // The click that belongs to the press comes right after it.
  setTimeout(() => actions.forEach((action) => action()));
};
globalThis.addEventListener('pointerdown', () => (pressed = true), { capture: true });
globalThis.addEventListener('pointerup', release, { capture: true });
globalThis.addEventListener('pointercancel', release, { capture: true });

/**
 * Runs the action when no pointer is down. A field that is left by pressing a button is validated by this: the error
 * that appears would else move the button away from under the pointer, and the press would come to nothing.
 */
export function afterPress(action: () => void): void {
  if (pressed) waiting.push(action);
  else action();
}

/** Has the browser save a file. */
export function saveFile({ name, data }: { name: string; data: Blob }): void {
  const url = URL.createObjectURL(data);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the data by the time the next task runs.
  setTimeout(() => URL.revokeObjectURL(url));
}
