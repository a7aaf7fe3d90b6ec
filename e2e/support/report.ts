import { IS_FULL, SEED } from './extent.ts';

/** Prints what a fault did, and what was lost by it. */
export function report(fault: string, did: string, lost: string): void {
  process.stdout.write(`${fault} (${IS_FULL ? 'full' : 'short'}, seed ${SEED}): ${did}; lost: ${lost}\n`);
}

/** `3 ms`, `1.2 s`. */
export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** The middle and the largest of some durations. */
export function spread(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b);
  return `${duration(sorted[Math.floor(sorted.length / 2)] ?? 0)} in the middle, ${duration(sorted.at(-1) ?? 0)} at most`;
}
