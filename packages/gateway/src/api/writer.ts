import { Failure, failure, takenMessage } from './failure.ts';
import type { World, Write } from '../world.ts';
import type { Change } from '../store/transaction.ts';
import type { Store } from '../store/store.ts';
import { DuplicateError } from '../store/tables.ts';
import { UnwritableError } from '../store/open.ts';
import pLimit, { type LimitFunction } from 'p-limit';

/**
 * Makes the world serve a change; `rejected` says why it would not, and whether the rows are as before. `isLeft`: the
 * gateway ends before it does.
 */
export type Publish = (changes: readonly Change[]) => Promise<{ rejected: string | null; isLeft?: true }>;

/**
 * The only way for handlers to change anything: a transaction, and then the world follows. Afterwards the health of a
 * service that was changed is that of its backend now, and a domain has its certificate or says why not, unless the
 * backend or the authority takes its time. No other caller waits for them.
 */
export function createWriter(
  store: Store,
  publish: Publish,
  { probed, certified }: Pick<World, 'probed' | 'certified'>,
): Write {
  return async (work) => {
    const { value, changes } = await store.write(work).catch((error: unknown) => {
      if (error instanceof UnwritableError) throw failure.unsaved(error.message);
      throw error instanceof DuplicateError ? duplicate(error) : error;
    });
    if (changes.length > 0) {
      // All at once, so that one generation serves them all. What is refused is taken back by parts.
      const parts = [...Map.groupBy(changes, ({ part }) => part)];
      const served = await Promise.all(parts.map(([, own]) => publish(own)));
      for (const [index, { rejected, isLeft }] of served.entries()) {
        if (isLeft)
          throw failure.unavailable('The gateway ends. This is saved, and counts when the gateway runs again.');
        const part = parts[index]?.[0];
        if (rejected === null) continue;
        if (part === undefined) throw failure.rejected(rejected);
        part.rejected = rejected;
      }
      await Promise.all(
        changes.flatMap(({ kind, id }) => {
          if (kind === 'domain') return [certified(id)];
          return kind === 'httpService' || kind === 'tcpService' ? [probed(kind, id)] : [];
        }),
      );
    }
    return value;
  };
}

const duplicate = ({ columns }: DuplicateError): Failure =>
  failure.invalid(columns.map((field) => ({ field, message: takenMessage(...columns) })));

const queues = new WeakMap<object, Map<string, LimitFunction>>();

/**
 * Does `work` when everything that was given before for the same `owner` and `key` has ended, well or not. What looks
 * first and decides then is safe in it from others that do the same at that moment.
 */
export async function inTurn<T>(owner: object, key: string, work: () => Promise<T>): Promise<T> {
  const byKey = queues.get(owner) ?? new Map<string, LimitFunction>();
  queues.set(owner, byKey);
  const queue = byKey.get(key) ?? pLimit(1);
  byKey.set(key, queue);
  try {
    return await queue(work);
  } finally {
    if (queue.activeCount + queue.pendingCount === 0 && byKey.get(key) === queue) byKey.delete(key);
  }
}
