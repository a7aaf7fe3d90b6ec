const queues = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Does `work` when everything that was given before for the same `owner` and `key` has ended, well or not. What looks
 * first and decides then is safe in it from whoever does the same at that moment.
 */
export async function inTurn<T>(owner: object, key: string, work: () => Promise<T>): Promise<T> {
  const waiting = queues.get(owner) ?? new Map<string, Promise<unknown>>();
  queues.set(owner, waiting);
  const before = waiting.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  waiting.set(key, mine);
  try {
    return await mine;
  } finally {
    if (waiting.get(key) === mine) waiting.delete(key);
  }
}
