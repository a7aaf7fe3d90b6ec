import { setTimeout as delay } from 'node:timers/promises';
import { Halt, say } from './say.mjs';

/** From one attempt to the next: a network or a mirror that stumbled has often recovered by then. */
const PAUSES_MS = [2000, 10_000];

/**
 * Runs what depends on a network until it returns no failure: three times at most, saying each time why once more.
 *
 * @param {() => Promise<string | undefined>} attempt returns what went wrong, in lines
 * @param {{ pausesMs?: number[], signal?: AbortSignal }} [options] `signal` interrupts a pause
 * @returns {Promise<string | undefined>} what went wrong the last time
 */
export async function withRetries(attempt, { pausesMs = PAUSES_MS, signal } = {}) {
  for (const pause of pausesMs) {
    const failure = await attempt();
    if (failure === undefined) return undefined;
    say(`${failure}\nsallyport: trying again in ${pause / 1000} s ...`);
    await delay(pause, undefined, { signal }).catch(() => {
      throw new Halt('interrupted.');
    });
  }
  return attempt();
}
