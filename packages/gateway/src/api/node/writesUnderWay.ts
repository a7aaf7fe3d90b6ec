import { failure } from '../failure.ts';

/** How many changes of one node may be under way: each holds a body, from its first byte until it is answered. */
export const NODE_WRITES_UNDER_WAY = 64;

/** Counts the changes that the tokens of one node have under way, together. The result fails with 429 for one more. */
export function createWritesUnderWay(): <T>(caller: { nodeId: number }, work: () => Promise<T>) => Promise<T> {
  const counts = new Map<number, number>();
  return async ({ nodeId }, work) => {
    const count = counts.get(nodeId) ?? 0;
    if (count >= NODE_WRITES_UNDER_WAY) throw failure.tooManyUnderWay(NODE_WRITES_UNDER_WAY);
    counts.set(nodeId, count + 1);
    try {
      return await work();
    } finally {
      const left = (counts.get(nodeId) ?? 0) - 1;
      if (left > 0) counts.set(nodeId, left);
      else counts.delete(nodeId);
    }
  };
}
