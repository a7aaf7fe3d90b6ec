import type { NodeStatus, OffPart } from '@sallyport/sdk/contract';

/** The kinds of object that the outside world is made of; each one's row can be at fault on its own. */
export type ObjectKind = 'node' | 'domain' | 'httpService' | 'tcpService';

/** What the tunnel knows about a node. */
export type NodeRuntime = {
  status: NodeStatus;
  clientIp: string | null;
  /** Milliseconds since 1970. */
  latestHandshakeTimestamp: number | null;
  /** Bytes. */
  transferRx: number | null;
  transferTx: number | null;
};

/** One line of a log. `id` names the same line also after a restart, so that a reader can go on behind it. */
export type Line = { id: string; text: string };

/** Whose lines. */
export type LineKey = { kind: 'domain' | 'http' | 'tcp'; id: number };

/** A node's WireGuard keys; the private parts are sealed and can be opened only by the tunnel. */
export type SealedNodeKeys = {
  publicKey: string;
  sealedPrivateKey: string;
  sealedPresharedKey: string;
};

/** The time, and somebody who calls when it has come. Tests turn its hands themselves. */
export type Clock = {
  now(): Date;
  /** Calls `ring` once, at that time or as soon after it as can be; returns the way to give it up. */
  wake(at: Date, ring: () => void): () => void;
};

/** What handlers and streams may ask of the world outside the database. `system` and `reconcile` make it true. */
export type World = {
  now(): Date;
  /** Why an object cannot be served as saved, in a sentence; null when it is. */
  problem(kind: ObjectKind, id: number): string | null;
  nodeRuntime(nodeId: number): NodeRuntime;
  /** Calls back whenever `problem` or `nodeRuntime` may answer something new; returns the way to stop. */
  onFindings(listener: () => void): () => void;
  lines: {
    /** The last `count` lines, oldest first; instead all that are kept behind `afterId`, when that line is known. */
    recent(key: LineKey, count: number, afterId?: string): Line[];
    subscribe(key: LineKey, listener: (lines: Line[]) => void): () => void;
  };
  /** Whether a public name leads to this gateway. */
  pointsHere(domain: string): Promise<boolean>;
  /** Whether certificates can be had from a certificate authority; if not, why. */
  certificateIssuer(): { available: true } | { available: false; reason: string };
  /** Whether visitors can be asked to sign in; if not, why. */
  signIn(): { available: true } | { available: false; reason: string };
  newNodeKeys(): SealedNodeKeys;
  ingress(): { up: boolean; generation: number };
  /** What does not run, why, and how to turn it on. */
  off(): OffPart[];
};
