import type { ObjectKind } from '../ports.ts';
import type { Change } from '../store/change.ts';

/** What became of a caller's changes: `rejected` is the reason why they were taken back, in a sentence. */
export type Published = { rejected: string | null };

/** An object that cannot be served as it was saved, and why, in a sentence. */
export type Refusal = { kind: ObjectKind; id: number; reason: string };

type Caller = { changes: readonly Change[]; done(result: Published): void };

/** The callers whose changes one generation serves. */
export type Batch = {
  /** What they changed. */
  changes(): readonly Change[];
  /** Takes back the change of the caller whose object it is; false when it is nobody's. */
  refuse(refusal: Refusal): Promise<boolean>;
  /** Answers everybody who was not refused. */
  fulfil(): void;
};

/** Those who wait until what they changed is served. */
export type Callers = {
  add(changes: readonly Change[]): Promise<Published>;
  /** Everybody who has come until now. */
  take(): Batch;
};

/** @param takeBack makes the rows as they were before the changes */
export function createCallers(takeBack: (changes: readonly Change[]) => Promise<void>): Callers {
  let waiting: Caller[] = [];
  return {
    add: (changes) => new Promise((done) => void waiting.push({ changes, done })),
    take() {
      let left = waiting;
      waiting = [];
      return {
        changes: () => left.flatMap(({ changes }) => changes),
        async refuse({ kind, id, reason }) {
          const caller = left.findLast(({ changes }) =>
            changes.some((change) => change.kind === kind && change.id === id && change.after !== null),
          );
          if (caller === undefined) return false;
          left = left.filter((other) => other !== caller);
          await takeBack(caller.changes);
          caller.done({ rejected: reason });
          return true;
        },
        fulfil() {
          for (const caller of left.splice(0)) caller.done({ rejected: null });
        },
      };
    },
  };
}
