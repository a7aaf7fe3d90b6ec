import type { ReconcilerParts } from '../ingress/reconcile.ts';
import { createTunnelFollower, type TunnelFollower, type TunnelView } from '../tunnel/reconcile.ts';
import { createTunnelWatch, type TunnelWatch } from '../tunnel/monitor.ts';
import type { Store } from '../store/store.ts';
import { createNodeKeys, type KeyVault } from '../vault/keyVault.ts';
import type { Tunnel } from '../tunnel/wireguard/tunnel.ts';

/** What a gateway without remote nodes knows of the tunnel. */
export const TUNNEL_OFF: TunnelView = {
  status: { available: false, reason: 'There is none.', remedy: 'Do without.' },
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

/** A tunnel to all remote nodes that are enabled, which are where their rows say, without any packet of its own. */
export function openTunnel(): Pick<ReconcilerParts, 'tunnel' | 'nodes'> {
  const { tunnel, nodes } = noTunnel();
  const follow: typeof tunnel.follow = (rows) => {
    const remote = rows.filter(({ isLocal, enabled }) => enabled && !isLocal);
    return Promise.resolve({
      ...TUNNEL_OFF,
      status: { available: true },
      subnets: new Map(remote.map(({ id }) => [id, []])),
    });
  };
  return { tunnel: { ...tunnel, follow }, nodes };
}

/** The way to remote nodes through a tunnel in memory; it asks only when it is told to. */
export function testTunnel(
  tunnel: Tunnel,
  store: Store,
  vault: KeyVault,
): { tunnel: TunnelFollower; nodes: TunnelWatch } {
  const { publicKey, privateKey } = createNodeKeys();
  const log = { info: () => undefined, warn: () => undefined };
  const nodes = createTunnelWatch({ tunnel, store, log });
  const follower = createTunnelFollower({
    tunnel,
    vault,
    log,
    endpoints: () => nodes.look().then(nodes.endpoints),
    settings: {
      interface: 'test0',
      network: '10.88.0.0/16',
      gateway: '10.88.0.1',
      port: 51_820,
      publicPorts: [80, 443],
      publicKey,
      sealedPrivateKey: vault.seal(privateKey),
    },
  });
  return { tunnel: follower, nodes };
}
