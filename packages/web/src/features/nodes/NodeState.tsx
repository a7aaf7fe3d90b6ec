import { formatExact, formatRelative } from '@sallyport/sdk';
import type { Node, UnavailableFeature } from '@sallyport/sdk/contract';
import { RelativeTime } from '../../ui/layout/RelativeTime.tsx';

/** When the tunnel last shook hands, told from now; `-` when it never did. */
export function Handshake({ node, now }: { node: Node; now: Date }) {
  const at = node.latestHandshakeTimestamp;
  if (!at) return '-';
  return (
    <RelativeTime dateTime={new Date(at).toISOString()} relative={formatRelative(at, now)} exact={formatExact(at)} />
  );
}

/** What is known about a node that is away. */
type Away = Pick<Node, 'isLocal' | 'enabled' | 'status' | 'latestHandshakeTimestamp'>;

/**
 * Why a node is offline, in a few words: the gateway has no tunnel, its host never joined, or it fell silent. Null
 * when it is there, and when it was disconnected on purpose, which a badge says.
 * @param tunnelOff what keeps the gateway's tunnel off; null: it runs
 */
export function offlineReason(node: Away, tunnelOff: UnavailableFeature | null): string | null {
  if (node.isLocal || !node.enabled || node.status !== 'offline') return null;
  if (tunnelOff) return `The tunnel is off. ${tunnelOff.reason}`;
  return node.latestHandshakeTimestamp ? 'Its host is silent' : 'Not joined yet';
}
