import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 10;

/**
 * Looks again and again until `look` is true.
 * @returns how many milliseconds it took
 */
export async function until(what: string, limitMs: number, look: () => boolean | Promise<boolean>): Promise<number> {
  const begin = performance.now();
  while (!(await look())) {
    if (performance.now() - begin > limitMs) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await delay(POLL_MS);
  }
  return performance.now() - begin;
}
