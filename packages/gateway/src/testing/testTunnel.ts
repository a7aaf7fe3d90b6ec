import type { ReconcilerParts } from '../ingress/reconcile.ts';
import type { TunnelView } from '../tunnel/reconcile.ts';

/** What a gateway without remote nodes knows of the tunnel. */
export const TUNNEL_OFF: TunnelView = {
  status: { available: false, reason: 'There is none.', fix: 'Do without.' },
  gateway: '10.88.0.1',
  subnets: new Map(),
  problems: new Map(),
};

/** The reconciler's way to remote nodes, when there is none. */
export const noTunnel = (): Pick<ReconcilerParts, 'tunnel' | 'nodes'> => ({
  tunnel: { follow: () => Promise.resolve(TUNNEL_OFF), onChange: () => () => undefined },
  nodes: {
    follow: () => undefined,
    look: () => Promise.resolve(),
    unreachable: () => null,
    neverConnected: () => false,
    onReach: () => () => undefined,
    onFirstHandshake: () => () => undefined,
  },
});
