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
    const busyMs = (): number => Math.max((forgottenAt.get(caller.nodeId) ?? 0) - now().getTime(), 0);
    return async (...change) => {
      const waitMs = busyMs() + NODE_CHANGE_EVERY_MS - NODE_CHANGES * NODE_CHANGE_EVERY_MS;
      if (waitMs > 0) throw failure.tooManyWrites(Math.ceil(waitMs / 1000));
      const value = await write(...change);
      forgottenAt.set(caller.nodeId, now().getTime() + busyMs() + NODE_CHANGE_EVERY_MS);
      return value;
    };
  };
}
