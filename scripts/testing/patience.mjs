/**
 * Setup of every test file: `vi.waitFor` and `vi.waitUntil` wait as long as `expect.poll` does. That has a setting
 * (vitest.config.ts); these two give up after a second, in which a busy machine may not get to them.
 */
import { vi } from 'vitest';

const EVENT_MAX_MS = 20_000;

const patiently = (wait) =>
  Object.assign((check, options) => wait(check, { timeout: EVENT_MAX_MS, ...options }), { isPatient: true });

// Files that share a worker share `vi`.
if (!vi.waitFor.isPatient) {
  Object.assign(vi, { waitFor: patiently(vi.waitFor), waitUntil: patiently(vi.waitUntil) });
}
