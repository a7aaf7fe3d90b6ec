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
