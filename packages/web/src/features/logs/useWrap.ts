import { useSyncExternalStore } from 'react';
import { useStore } from '../../state/createStore.ts';
import { wrapping } from './logSettings.ts';

/** A line of the gateway has some 120 characters, which is what fits into the panel of a screen of this width. */
const NARROW = '(width < 64rem)';

const subscribe = (changed: () => void) => {
  const query = matchMedia(NARROW);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
};

/** Whether long lines are broken, and the way to change that. */
export function useWrap(): [boolean, (wrap: boolean) => void] {
  const chosen = useStore(wrapping);
  const isNarrow = useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
  return [chosen === 'auto' ? isNarrow : chosen === 'on', (wrap) => wrapping.set(wrap ? 'on' : 'off')];
}
