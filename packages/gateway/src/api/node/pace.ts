import { failure } from '../failure.ts';
import type { Write } from '../../world.ts';
import type { Identity } from '../context.ts';

/** How many changes the access tokens of a node may make at once. */
export const NODE_CHANGES = 60;
/** After so long they may make one more. */
export const NODE_CHANGE_EVERY_MS = 10_000;

/**
 * Keeps the tokens of one node from changing the configuration again and again, see decision 0030. What is refused does
 * not count, and administrators are not counted.
 * @returns the way in which a caller writes; it fails with 429 and the seconds to wait
 */
export function createNodePace(now: () => Date): (write: Write, caller: Identity | null) => Write {
  /** By the node's id: when all that it did will be forgotten, in milliseconds since 1970. */
  const forgottenAt = new Map<number, number>();
  return (write, caller) => {
    if (caller?.type !== 'node') return write;
    const { nodeId } = caller;
    const busyUntil = (): number => Math.max(forgottenAt.get(nodeId) ?? 0, now().getTime());
    return async (...change) => {
      const until = busyUntil() + NODE_CHANGE_EVERY_MS;
      const waitMs = until - now().getTime() - NODE_CHANGES * NODE_CHANGE_EVERY_MS;
      if (waitMs > 0) throw failure.tooManyWrites(Math.ceil(waitMs / 1000));
      // Before it is made: changes that come at the same time cannot pass together.
      forgottenAt.set(nodeId, until);
      try {
        return await write(...change);
      } catch (error) {
        forgottenAt.set(nodeId, busyUntil() - NODE_CHANGE_EVERY_MS);
        throw error;
      }
    };
  };
}
