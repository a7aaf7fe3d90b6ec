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
