import { remembered } from './remembered.ts';

export const themes = ['light', 'dark', 'auto'] as const;
/** `auto` follows the system. */
export type Theme = (typeof themes)[number];

/** The administrator's choice; `/theme.js` applies it before the first paint under the same key. */
export const theme = remembered<Theme>('color-scheme', themes, 'auto');

/** Puts the theme onto the document, now and whenever it changes. Returns the function that stops it. */
export function applyTheme(): () => void {
  const apply = () => {
    const chosen = theme.get();
    if (chosen === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
  };
  apply();
  return theme.subscribe(apply);
}
