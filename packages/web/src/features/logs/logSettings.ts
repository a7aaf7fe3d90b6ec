import { LOG_BUFFER_LINES } from '@sallyport/sdk/contract';
import { useSyncExternalStore } from 'react';
import { useStore } from '../../state/createStore.ts';
import { remembered } from '../../state/preferences.ts';

const sizes = [String(LOG_BUFFER_LINES), '5000', '10000', '50000', '100000'];

/** How many lines a log screen keeps, as text. */
export const keptLines = remembered('log-lines', sizes, String(LOG_BUFFER_LINES));

/** What may be chosen. */
export const keptLinesOptions = sizes.map((size) => ({
  value: size,
  label: `${Number(size).toLocaleString('en-US')} lines`,
}));

/** Whether long lines are broken; `auto`: where the screen is too narrow for most of them. */
export const wrapping = remembered('log-wrap', ['auto', 'on', 'off'], 'auto');

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
