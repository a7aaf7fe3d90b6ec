import type { Secret } from '../../vault/secret.ts';

/**
 * Whether the gateway can reach remote nodes; if not, why and what turns it on: two sentences for the administrator.
 * `failed`: it should work on this machine, and does not.
 */
export type TunnelStatus =
  | { available: true }
  | {
      available: false;
      reason: string;
      fix: string;
      /** It should work, and does not. */
      failed?: true;
      /** The administrator wants none. */
      chosen?: true;
    };

/** All that one tunnel is made of. Texts are made by `render`. */
export type TunnelPlan = {
  /** The gateway's; it tells our own interface from another program's. */
  publicKey: string;
  /** The networks that lead to each node in it, by its public key; CIDR, IPv4. */
  peers: ReadonlyMap<string, readonly string[]>;
  /** Why the text for `wg` cannot be had, in a sentence; null: it can. Peers that are not in the plan go all the same. */
  keyProblem: string | null;
  /**
   * The text for `wg`, with these places of nodes (by public key). Only those of nodes that are not in the interface
   * yet: of the others it knows better where they are.
   */
  config(endpoints: ReadonlyMap<string, string>): Secret;
  /** The text for `nft`. */
  firewall: string;
  /** CIDR, IPv4. */
  network: string;
  /** The gateway's own address in it. */
  gateway: string;
  /** UDP. */
  port: number;
  /** Subnets behind nodes; CIDR, IPv4. */
  subnets: readonly string[];
  /** Whether some nodes go on to the internet through this machine. */
  forwards: boolean;
  /** Where nodes were last, by public key. */
  endpoints: ReadonlyMap<string, string>;
};

/** What came of a plan. */
export type TunnelApplied = {
  status: TunnelStatus;
  /** Subnets that were not routed into the tunnel, with the reason as a part of a sentence. */
  refusedSubnets: ReadonlyMap<string, string>;
  /** Why nodes cannot go on to the internet, in a sentence; null: they can, or none is to. */
  forwardingProblem: string | null;
};

/** What WireGuard knows of one node. */
export type PeerReading = {
  readonly publicKey: string;
  /** `198.51.100.7:40000`, `[2001:db8::7]:40000`; null: it was not here yet. */
  readonly endpoint: string | null;
  /** Milliseconds since 1970; null: none yet. */
  readonly handshakeAt: number | null;
  /** Bytes from and to the node since the interface, or the node in it, was made. */
  readonly rx: number;
  readonly tx: number;
};

/** The VPN that joins the nodes to the gateway. It outlives the gateway, and the next one takes it over. */
export type Tunnel = {
  /** What came of the last plan; before the first, whether this machine could have a tunnel. */
  status(): TunnelStatus;
  /** Whether an interface of that name is there, ours or not. */
  present(): boolean;
  /**
   * Makes the machine follow the plan, whatever it was like before; nodes that are in the old plan and in the new one
   * are not disturbed. When that is not possible a new interface is taken away again as a whole, and nothing fails.
   */
  apply(plan: TunnelPlan): Promise<TunnelApplied>;
  /** All nodes of the plan at once; null when there is no tunnel. */
  read(): Promise<readonly PeerReading[] | null>;
  /** Calls back when the interface or its packet filter is gone; the next `apply` brings it back. Returns the way to stop. */
  onDamage(listener: () => void): () => void;
  /** Takes the interface, its routes and its packet filter away. */
  remove(): Promise<void>;
  /** Lets go of it; it goes on. */
  close(): void;
};

export const NOTHING_REFUSED: Pick<TunnelApplied, 'refusedSubnets' | 'forwardingProblem'> = {
  refusedSubnets: new Map(),
  forwardingProblem: null,
};

const STATUS: TunnelStatus = {
  available: false,
  reason: 'It is turned off by SALLYPORT_TUNNEL=off.',
  fix: 'Start the gateway without it.',
  chosen: true,
};

/** The tunnel that no one wants. Only services of the local node can be reached. */
export function createAbsentTunnel(): Tunnel {
  return {
    status: () => STATUS,
    present: () => false,
    apply: () => Promise.resolve({ ...NOTHING_REFUSED, status: STATUS }),
    read: () => Promise.resolve(null),
    onDamage: () => () => undefined,
    remove: () => Promise.resolve(),
    close: () => undefined,
  };
}
