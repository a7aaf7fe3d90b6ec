import { useSyncExternalStore } from 'react';

const subscribe = (changed: () => void) => {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
};

/** Whether somebody may be looking at the page: its tab is in front. */
export const useVisible = (): boolean => useSyncExternalStore(subscribe, () => document.visibilityState !== 'hidden');
