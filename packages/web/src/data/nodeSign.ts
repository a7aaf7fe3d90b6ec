import type { Node } from '@sallyport/sdk/contract';
import { isWaiting } from '@sallyport/sdk/rules';

/** The sign of a node that is not Local: one that no host has joined yet waits, or it is off on purpose, which is no fault. */
export const signOf = (node: Pick<Node, 'isLocal' | 'enabled' | 'status' | 'latestHandshakeTimestamp'>) =>
  isWaiting(node) ? 'waiting' : node.enabled ? node.status : 'disabled';
