import { useSyncExternalStore } from 'react';

/** A value that tells when it changes. */
export type Store<T> = {
  get: () => T;
  set: (next: T | ((current: T) => T)) => void;
  /** Returns the function that ends the subscription. */
  subscribe: (listener: () => void) => () => void;
};

/** Keeps one value outside of React, so that code without hooks can read and change it too. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const changed = typeof next === 'function' ? (next as (current: T) => T)(value) : next;
      if (Object.is(changed, value)) return;
      value = changed;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The store's value, drawn again when it changes. */
export function useStore<T>(store: Pick<Store<T>, 'get' | 'subscribe'>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** A choice that outlives a reload, kept in the browser's local storage and shared by its tabs. */
export function remembered<const T extends string>(key: string, options: readonly T[], initial: T): Store<T> {
  const known = (text: string | null): T => options.find((option) => option === text) ?? initial;
  const store = createStore<T>(known(read(key)));
  store.subscribe(() => write(key, store.get()));
  globalThis.addEventListener('storage', (event) => {
    if (event.key === key) store.set(known(event.newValue));
  });
  return store;
}

// Storage may be forbidden by the browser; what is remembered then lasts until the page is left.
/** What is kept under a key; null: nothing. */
export function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text under a key. */
export function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing is lost but a memory.
  }
}

/** Where `visits.ts` keeps what was looked at. The login page forgets it: who signs in next may not know what there is. */
export const VISITS_KEY = 'visits';

const themes = ['light', 'dark', 'auto'] as const;
/** `auto` follows the system. */
type Theme = (typeof themes)[number];

/** The administrator's choice; `/first.js` applies it before the first paint under the same key. */
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

/** Whether the sidebar of wide screens is folded; collapsed until the administrator expands it. */
export const sidebar = remembered('sidebar', ['collapsed', 'expanded'], 'collapsed');

/** Whether keys by themselves are shortcuts. Who speaks to the machine, or holds keys by accident, turns them off. */
export const singleKeys = remembered('single-keys', ['on', 'off'], 'on');
