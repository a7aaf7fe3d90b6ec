/**
 * Setup of every test file: `vi.waitFor` and `vi.waitUntil` wait as long as `expect.poll` does. That has a setting
 * (vitest.config.ts); these two give up after a second, in which a busy machine may not get to them.
 */
import { vi } from 'vitest';

const EVENT_MAX_MS = 20_000;
const DONE = Symbol.for('sallyport.patience');

const patiently = (wait) => (check, options) => wait(check, { timeout: EVENT_MAX_MS, ...options });

// Files that share a worker share `vi`.
if (!(DONE in vi)) {
  Object.assign(vi, { waitFor: patiently(vi.waitFor), waitUntil: patiently(vi.waitUntil), [DONE]: true });
}
