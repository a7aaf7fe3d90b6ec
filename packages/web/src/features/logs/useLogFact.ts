import { useSyncExternalStore } from 'react';
import type { LogStore } from './createLogStore.ts';

/** One fact of the store, drawn again when it is another one than in the frame before. */
export function useLogFact<T extends number | boolean>(store: LogStore, fact: () => T): T {
  return useSyncExternalStore(store.subscribe, fact);
}
