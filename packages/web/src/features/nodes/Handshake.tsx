import { formatExact, formatRelative } from '@sallyport/sdk';
import type { Node } from '@sallyport/sdk/contract';
import { RelativeTime } from '../../ui/layout/RelativeTime.tsx';

/** When the tunnel last shook hands, told from now; `-` when it never did. */
export function Handshake({ node, now }: { node: Node; now: Date }) {
  const at = node.latestHandshakeTimestamp;
  if (!at) return '-';
  return (
    <RelativeTime dateTime={new Date(at).toISOString()} relative={formatRelative(at, now)} exact={formatExact(at)} />
  );
}
