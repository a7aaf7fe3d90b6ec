import pLimit, { type LimitFunction } from 'p-limit';

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
