import { setTimeout as delay } from 'node:timers/promises';
import { extent } from './extent.ts';

const POLL_MS = 10;
/** A short run shares the machine with other tests: only what never comes is a fault. */
const SHORT_MIN_MS = 30_000;

/**
 * Looks again and again until `look` is true. The limit counts in a full run, which has the machine to itself.
 * @returns how many milliseconds it took
 */
export async function until(what: string, limitMs: number, look: () => boolean | Promise<boolean>): Promise<number> {
  const begin = performance.now();
  const limit = extent(Math.max(limitMs, SHORT_MIN_MS), limitMs);
  while (!(await look())) {
    if (performance.now() - begin > limit) throw new Error(`Not within ${limit} ms: ${what}`);
    await delay(POLL_MS);
  }
  return performance.now() - begin;
}
