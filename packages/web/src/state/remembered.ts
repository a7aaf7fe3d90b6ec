import { createStore, type Store } from './createStore.ts';

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

// Storage may be forbidden by the browser; the choice then lasts until the page is left.
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing is lost but the memory of a choice.
  }
}
