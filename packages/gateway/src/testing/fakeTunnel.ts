import {
  NOTHING_REFUSED,
  type PeerReading,
  type Tunnel,
  type TunnelPlan,
  type TunnelStatus,
} from '../tunnel/wireguard/tunnel.ts';
import type { ReconcilerParts } from '../ingress/reconcile.ts';
import type { TunnelView } from '../tunnel/reconcile.ts';
import type { GatewayParts } from '../start/compose.ts';

/** A tunnel in memory: what it was told, and nodes that come and go as a test says. */
export type FakeTunnel = Tunnel & {
  /** Off from the start. */
  setStatus(status: TunnelStatus): void;
  /** The last plan that was followed; null: none, or it was taken away. */
  plan(): TunnelPlan | null;
  /** What WireGuard knows of a node from now on. */
  setReading(publicKey: string, reading: Partial<Omit<PeerReading, 'publicKey'>>): void;
  /** The interface is gone, as when someone deleted it. */
  damage(): void;
};

const keysOf = (plan: TunnelPlan | null): readonly string[] => [...(plan?.peers.keys() ?? [])];

export function createFakeTunnel(): FakeTunnel {
  const listeners = new Set<() => void>();
  const readings = new Map<string, PeerReading>();
  let status: TunnelStatus = {
    available: false,
    reason: 'There is no tunnel in memory.',
    fix: 'Expose services of the local node.',
  };
  let present = false;
  let plan: TunnelPlan | null = null;
  /** Where the nodes of the plan are, as far as they were not heard. */
  let places: ReadonlyMap<string, string | null> = new Map();
  return {
    status: () => status,
    present: () => present,
    apply(next) {
      if (status.available && next.keyProblem !== null) {
        // Without a key no node joins, but a node that is to go does.
        if (plan !== null) plan = { ...plan, peers: new Map([...plan.peers].filter(([key]) => next.peers.has(key))) };
        const off = { available: false, failed: true, reason: next.keyProblem, fix: 'Put the key back.' } as const;
        return Promise.resolve({ ...NOTHING_REFUSED, status: off });
      }
      if (status.available) {
        const here = new Set(present ? keysOf(plan) : []);
        places = new Map(
          keysOf(next).map((key) => [key, (here.has(key) ? places.get(key) : next.endpoints.get(key)) ?? null]),
        );
        plan = next;
        present = true;
      }
      return Promise.resolve({ ...NOTHING_REFUSED, status });
    },
    read() {
      if (plan === null || !status.available || !present) return Promise.resolve(null);
      return Promise.resolve(
        keysOf(plan).map((publicKey) => {
          const silent = { publicKey, endpoint: places.get(publicKey) ?? null, handshakeAt: null, rx: 0, tx: 0 };
          return readings.get(publicKey) ?? silent;
        }),
      );
    },
    onDamage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    remove() {
      plan = null;
      present = false;
      return Promise.resolve();
    },
    close: () => undefined,
    setStatus: (next) => void (status = next),
    plan: () => plan,
    setReading(publicKey, reading) {
      const known = readings.get(publicKey) ?? { publicKey, endpoint: null, handshakeAt: null, rx: 0, tx: 0 };
      readings.set(publicKey, { ...known, ...reading });
    },
    damage() {
      present = false;
      for (const listener of listeners) listener();
    },
  };
}

/** What a gateway without remote nodes knows of the tunnel. */
export const TUNNEL_OFF: TunnelView = {
  status: { available: false, reason: 'There is none.', fix: 'Do without.' },
  gateway: '10.88.0.1',
  subnets: new Map(),
  problems: new Map(),
  withheld: [],
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

/** A gateway's end of a tunnel on paper. */
export const testTunnelServer: Omit<GatewayParts['vpn'], 'sealedPrivateKey'> = {
  publicKey: 'c2FsbHlwb3J0LWdhdGV3YXktcHVibGljLWtleS0zMmI=',
  host: 'vpn.example.test',
  port: 51_820,
  subnet: '10.88.0.0/16',
  network: '10.88.0.0/16',
  gateway: '10.88.0.1',
  mtu: null,
  interface: 'sallyport0',
};
