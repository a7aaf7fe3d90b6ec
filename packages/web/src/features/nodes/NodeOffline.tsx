import type { Node } from '@sallyport/sdk/contract';
import { Download } from 'lucide-react';
import { useUnavailable } from '../../data/useUnavailable.ts';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { Handshake, offlineReason } from './NodeState.tsx';
import { JoinCommand, PublicNameAlert, TunnelOffAlert, useConfiguration } from './joining.tsx';

/** Says on a node's page why it is offline, and what to do about it; nothing while there is nothing to say. */
export function NodeOffline({ node, now }: { node: Node; now: Date }) {
  const tunnelOff = useUnavailable('tunnel');
  const configuration = useConfiguration();
  const reason = offlineReason(node, tunnelOff);
  if (reason === null) return null;
  if (tunnelOff) return <TunnelOffAlert off={tunnelOff} />;
  if (node.latestHandshakeTimestamp) {
    return (
      <Alert type="warning" title={reason}>
        Last heard <Handshake node={node} now={now} />. Look whether it is up, and whether it still reaches this
        gateway: then the tunnel comes back by itself.
      </Alert>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <PublicNameAlert />
      <Alert title={reason}>
        <p className="mb-2">Run this on the node's host, and give it an access token of this node when it asks.</p>
        <JoinCommand node={node} raised />
        <p className="mt-2 flex flex-wrap items-center gap-x-2.5 gap-y-1.5">
          With WireGuard only (a phone, for instance), use
          <Button
            size="sm"
            icon={<Download size={14} aria-hidden />}
            disabled={configuration.busy}
            onClick={() => void configuration.save(node.id)}
          >
            Download Config
          </Button>
        </p>
      </Alert>
    </div>
  );
}
