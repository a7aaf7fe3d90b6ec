import { isMac, TYPED_FIELDS } from '../state/browser.ts';
import { dialogs } from '../state/dialogs.ts';
import { singleKeys } from '../state/store.ts';

/** What opens the command palette: as it is written on the keys, and for `aria-keyshortcuts`. */
export const paletteKeys = isMac ? ['⌘', 'K'] : ['Ctrl', 'K'];
export const paletteAria = isMac ? 'Meta+K' : 'Control+K';

/** The key as it is written on it. Ctrl K is Ctrl K with a layout that has other letters as well. */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (shiftKey) return key;
  return key > '~' && code.startsWith('Key') ? code.slice(-1).toLowerCase() : key.toLowerCase();
}

/** Whether the press opens the command palette, or closes it. */
export function isPaletteKey(event: KeyboardEvent): boolean {
  const [command, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  return command && !other && !event.altKey && !event.shiftKey && keyOf(event) === 'k';
}

/** The second key of `g h` counts for so long. */
const SEQUENCE_MS = 1500;
const OVERLAYS = 'dialog[open], [role=dialog], [role=alertdialog], [role=menu]';

type ShortcutActions = {
  /** The palette may be wanted soon. */
  prepare: () => void;
  openPalette: () => void;
  openHelp: () => void;
  /** Goes to the screen of a key; nothing where there is none. */
  goTo: (key: string) => void;
};

/**
 * Answers the keys of the console. A key by itself presses or focuses what the screen has for it, which says so with
 * `aria-keyshortcuts`; none counts in a field, below a dialog or a menu, or together with Ctrl, Alt or Cmd.
 */
export function listenForShortcuts(
  { prepare, openPalette, openHelp, goTo }: ShortcutActions,
  signal: AbortSignal,
): void {
  let sequenceAt = -Infinity;
  const pressed = (event: KeyboardEvent) => {
    const { target, defaultPrevented, isComposing, repeat, ctrlKey, metaKey, altKey, timeStamp } = event;
    if (defaultPrevented || isComposing || repeat) return;
    // A dialog that is still being fetched is open as well.
    if (dialogs.get().length > 0 || document.querySelector(OVERLAYS)) return;
    const key = keyOf(event);
    if (event.key === (isMac ? 'Meta' : 'Control')) prepare();
    if (isPaletteKey(event)) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (key.length > 1 || ctrlKey || metaKey || altKey || singleKeys.get() === 'off') return;
    if (target instanceof Element && target.closest(TYPED_FIELDS)) return;
    const isSecond = timeStamp - sequenceAt < SEQUENCE_MS;
    sequenceAt = key === 'g' && !isSecond ? timeStamp : -Infinity;
    if (isSecond) {
      goTo(key);
      return;
    }
    const own = [...document.querySelectorAll<HTMLElement>('main [aria-keyshortcuts]')].find(
      (element) => element.getAttribute('aria-keyshortcuts') === key,
    );
    if (!own && key !== '?') return;
    // Neither typed into what has the focus next, nor the browser's own search.
    event.preventDefault();
    if (!own) openHelp();
    else if (own.matches(TYPED_FIELDS)) own.focus();
    else own.click();
  };
  addEventListener('keydown', pressed, { signal });
}
