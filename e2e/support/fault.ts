import * as fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';

const DEFAULT_SEED = 20_261_121;

const readSeed = (text: string | undefined): number => {
  if (text === undefined || text === '') return DEFAULT_SEED;
  if (!/^\d{1,9}$/.test(text)) throw new Error('SALLYPORT_FAULTS_SEED must be a whole number of at most nine digits.');
  return Number(text);
};

/** What is drawn in this run: `SALLYPORT_FAULTS_SEED` repeats another one. */
export const SEED = readSeed(process.env['SALLYPORT_FAULTS_SEED']);

/** Whether everything is done (`npm run faults`), or what fits into `npm test`. */
export const IS_FULL = process.env['SALLYPORT_FAULTS'] === 'full';

/** The short run's value or the full run's. */
export const extent = <T>(short: T, full: T): T => (IS_FULL ? full : short);

/** Whole numbers from `min` to `max`, the same ones in every run with the same seed. */
export const drawn = (count: number, min: number, max: number): number[] =>
  fc.sample(fc.noBias(fc.integer({ min, max })), { seed: SEED, numRuns: count });

/** Prints what a fault did, and what was lost by it. */
export function report(fault: string, did: string, lost: string): void {
  process.stdout.write(`${fault} (${IS_FULL ? 'full' : 'short'}, seed ${SEED}): ${did}; lost: ${lost}\n`);
}

/** `200 (3), 404 (1)`: what was answered, and how often; 0 is nothing. */
export function tally(statuses: readonly number[]): string {
  const groups = [...Map.groupBy(statuses, (status) => status)].toSorted(([a], [b]) => a - b);
  return groups.map(([status, all]) => `${status === 0 ? 'nothing' : status} (${all.length})`).join(', ');
}

/** `3 ms`, `1.2 s`. */
export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** The middle and the largest of some durations. */
export function spread(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b);
  return `${duration(sorted[Math.floor(sorted.length / 2)] ?? 0)} in the middle, ${duration(sorted.at(-1) ?? 0)} at most`;
}

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
