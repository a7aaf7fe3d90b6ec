import { setTimeout as delay } from 'node:timers/promises';
import type { Culprit } from './quarantine.ts';
import { isAtOrBelow } from '../rules/domainName.ts';
import type { HttpServiceRow } from '../store/rows.ts';
import type { Change } from '../store/transaction.ts';

/**
 * What became of a caller's changes: `rejected` is the reason why they are not served, in a sentence. `isLeft`: the gateway
 * ends, and they are served at its next start.
 */
export type Published = { rejected: string | null; isLeft?: true };

export const LEFT: Published = { rejected: null, isLeft: true };

type Caller = { changes: readonly Change[]; done(result: Published): void };

/** The batch whose changes one generation serves. */
export type Batch = {
  /** What they changed. */
  changes(): readonly Change[];
  /**
   * Takes back the changes of all callers whose objects they are; returns what of it belonged to a caller. `isTakenBack`
   * is false where the object stays as it was saved.
   */
  refuse(refusals: readonly Culprit[]): Promise<{ refusal: Culprit; isTakenBack: boolean }[]>;
  /** Answers everybody: what those who were refused had before is served by now as well. */
  fulfil(): void;
  /** Answers everybody that it is left to the next start. */
  leave(): void;
};

/** Those who wait until what they changed is served. */
export type WriteQueue = {
  add(changes: readonly Change[]): Promise<Published>;
  /**
   * Fulfilled when it is time to serve. One alone is served at once. Of several at once, those who were just answered come
   * back a moment later, and a generation serves many as fast as one: so it waits until all of them are there, or no one
   * has come for a while.
   */
  collect(): Promise<void>;
  /** Everybody who has come until now. */
  take(): Batch;
};

/**
 * How often those who wait are counted, how many counts without another one make the batch complete, and how long it is
 * waited at most. Counts, not a time: while the program is busy with what has come, no time without anybody passes.
 * Anyone who is not waited for makes everybody wait for another generation, so the longer one takes, the longer is worth it.
 */
const COUNT_MS = 5;
const QUIET_COUNTS = 4;
const QUIET_OF_SERVING = 1 / 4;
const GATHER_MS = 250;
/** Whatever a generation took, with an nginx that does not answer: no one waits for longer than this for others. */
const SERVING_MAX_MS = 800;

const TAKEN_BACK_TOO =
  'Others changed the same at the same moment, and all of it was taken back: if yours was right, save it again.';
const NOT_TAKEN_BACK = 'The change could not be undone: it stays saved, and closed as long as it cannot be served.';

/** What is wrong with a service, or what someone else changes of it meanwhile, is no reason not to close it. */
const isClosing = ({ before, after }: Change): boolean =>
  before !== null && after !== null && 'enabled' in after && 'enabled' in before && before.enabled && !after.enabled;

/**
 * Whether these can be served later, with others: whatever is not there yet. Any other change may close something to someone.
 */
export const canWait = (changes: readonly Change[]): boolean =>
  changes.every(({ kind, before }) => before === null && kind !== 'node');

/**
 * Whether one of them is a new service below one that is open: until it is served, visitors reach that one at its path,
 * whatever the new one asks of them.
 */
export const liesBelowOpen = (changes: readonly Change[], services: readonly HttpServiceRow[]): boolean =>
  changes.some(
    ({ kind, id, after }) =>
      kind === 'httpService' &&
      after !== null &&
      services.some(
        (other) =>
          other.id !== id &&
          other.enabled &&
          other.domain === after.domain &&
          // The console has a port of its own then.
          !(other.builtin && other.domain === null) &&
          isAtOrBelow(after.pathLocation, other.pathLocation.replace(/\/$/, '')),
      ),
  );

/**
 * @param takeBack makes the rows as they were before the changes; false when it could not. It must not reject: that would
 * concern all other callers
 * @param writing how many are on their way: they write what they will wait for
 */
export function createWriteQueue(
  takeBack: (changes: readonly Change[]) => Promise<boolean>,
  writing: () => number,
): WriteQueue {
  let waiting: Caller[] = [];
  let served = 0;
  let servingMs = 0;
  return {
    add: (changes) =>
      new Promise((done) => {
        waiting.push({ changes, done });
      }),
    async collect() {
      // WriteQueue of the same moment belong to the same generation.
      await new Promise<void>((next) => void setImmediate(next));
      if (served < 2 && waiting.length < 2) return;
      const begin = performance.now();
      const expected = waiting.length + served;
      const quietCounts = Math.max(QUIET_COUNTS, (servingMs * QUIET_OF_SERVING) / COUNT_MS);
      for (let quiet = 0; waiting.length < expected && quiet < quietCounts;) {
        if (performance.now() - begin > Math.max(GATHER_MS, servingMs)) return;
        const before = waiting.length;
        await delay(COUNT_MS);
        quiet = waiting.length > before || writing() > 0 ? 0 : quiet + 1;
      }
    },
    take() {
      let left = waiting;
      const refused: { caller: Caller; reason: string }[] = [];
      served = left.length;
      waiting = [];
      const begin = performance.now();
      return {
        changes: () => left.flatMap(({ changes }) => changes),
        async refuse(refusals) {
          const byCaller = new Map<Caller, { refusal: Culprit; isShared: boolean }>();
          for (const refusal of refusals) {
            const callers = left.filter(({ changes }) =>
              changes.some(
                (change) =>
                  change.kind === refusal.kind &&
                  change.id === refusal.id &&
                  change.after !== null &&
                  !isClosing(change),
              ),
            );
            // Whose of them it was is not known.
            const isShared = callers.length > 1;
            for (const caller of callers) if (!byCaller.has(caller)) byCaller.set(caller, { refusal, isShared });
          }
          const taken: { refusal: Culprit; isTakenBack: boolean }[] = [];
          // The latest first: each of them found the rows as those before it had left them.
          for (const caller of left.toReversed()) {
            const found = byCaller.get(caller);
            if (found === undefined) continue;
            const { refusal, isShared } = found;
            // What was closed since stays closed, with whatever else was changed of it before.
            const staysClosed = left.some(({ changes }) =>
              changes.some((change) => change.kind === refusal.kind && change.id === refusal.id && isClosing(change)),
            );
            const isTakenBack = (await takeBack(caller.changes)) && !staysClosed;
            left = left.filter((other) => other !== caller);
            const what = isTakenBack ? (isShared ? [TAKEN_BACK_TOO] : []) : [NOT_TAKEN_BACK];
            refused.push({ caller, reason: [refusal.reason, ...what].join(' ') });
            taken.push({ refusal, isTakenBack });
          }
          return taken;
        },
        fulfil() {
          servingMs = Math.min(performance.now() - begin, SERVING_MAX_MS);
          for (const { caller, reason } of refused.splice(0)) caller.done({ rejected: reason });
          for (const caller of left.splice(0)) caller.done({ rejected: null });
        },
        leave() {
          for (const caller of left.splice(0)) caller.done(LEFT);
        },
      };
    },
  };
}
