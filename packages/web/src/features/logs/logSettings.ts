import { LOG_BUFFER_LINES } from '@sallyport/sdk/contract';
import { remembered } from '../../state/remembered.ts';

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
