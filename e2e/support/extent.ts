import * as fc from 'fast-check';

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
