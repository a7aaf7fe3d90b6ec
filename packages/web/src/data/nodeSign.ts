import type { Node } from '@sallyport/sdk/contract';
import { isWaiting } from '@sallyport/sdk/rules';

type Signed = Pick<Node, 'isLocal' | 'enabled' | 'status' | 'latestHandshakeTimestamp'>;

/** The sign of a node that is not Local: one that no host has joined yet waits, or it is off on purpose, which is no fault. */
export const signOf = (node: Signed) => (isWaiting(node) ? 'waiting' : node.enabled ? node.status : 'disabled');

/** Whether the host of a node fell silent: it has joined, and was not disconnected. */
export const isSilent = (node: Signed): boolean => !node.isLocal && signOf(node) === 'offline';
