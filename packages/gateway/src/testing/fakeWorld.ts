import type { OffPart } from '@sallyport/sdk/contract';
import type { Line, LineKey, NodeRuntime, SealedNodeKeys, World } from '../ports.ts';

/** Everything of the world but what the reconciler knows; tests set it as they need it. */
export type FakeWorld = Pick<
  World,
  'nodeRuntime' | 'lines' | 'pointsHere' | 'certificateIssuer' | 'signIn' | 'newNodeKeys' | 'off' | 'onFindings'
> & {
  /** What the tunnel knows about a node from now on; a node that was never set is offline. */
  setNodeRuntime(nodeId: number, runtime: Partial<NodeRuntime>): void;
  /** Lines that just arrived. */
  addLines(key: LineKey, ...texts: string[]): void;
  setPointsHere(pointsHere: (domain: string) => boolean): void;
  setCertificateIssuer(issuer: ReturnType<World['certificateIssuer']>): void;
  setSignIn(signIn: ReturnType<World['signIn']>): void;
  setOff(off: OffPart[]): void;
};

const SILENT: NodeRuntime = {
  status: 'offline',
  clientIp: null,
  latestHandshakeTimestamp: null,
  transferRx: null,
  transferTx: null,
};

const keyText = ({ kind, id }: LineKey): string => `${kind} ${id}`;

export function createFakeWorld(): FakeWorld {
  const runtimes = new Map<number, NodeRuntime>();
  const lines = new Map<string, Line[]>();
  const readers = new Map<string, Set<(lines: Line[]) => void>>();
  const listeners = new Set<() => void>();
  let lineNumber = 0;
  let keyNumber = 0;
  let pointsHere = (_domain: string): boolean => true;
  let issuer: ReturnType<World['certificateIssuer']> = {
    available: false,
    reason: 'There is no certificate authority',
  };
  let signIn: ReturnType<World['signIn']> = { available: false, reason: 'Set SALLYPORT_OIDC_ISSUER' };
  let off: OffPart[] = [];
  return {
    nodeRuntime: (nodeId) => runtimes.get(nodeId) ?? SILENT,
    onFindings(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    lines: {
      recent(key, count, afterId) {
        const all = lines.get(keyText(key)) ?? [];
        const start = afterId === undefined ? -1 : all.findIndex((line) => line.id === afterId);
        return all.slice(start + 1).slice(-count);
      },
      subscribe(key, listener) {
        const own = readers.get(keyText(key)) ?? new Set();
        readers.set(keyText(key), own.add(listener));
        return () => void own.delete(listener);
      },
    },
    pointsHere: async (domain) => pointsHere(domain),
    certificateIssuer: () => issuer,
    signIn: () => signIn,
    newNodeKeys(): SealedNodeKeys {
      keyNumber += 1;
      return {
        publicKey: `public key ${keyNumber}`,
        sealedPrivateKey: `sealed private key ${keyNumber}`,
        sealedPresharedKey: `sealed preshared key ${keyNumber}`,
      };
    },
    off: () => off,
    setNodeRuntime(nodeId, runtime) {
      runtimes.set(nodeId, { ...(runtimes.get(nodeId) ?? SILENT), ...runtime });
      for (const listener of listeners) listener();
    },
    addLines(key, ...texts) {
      const added = texts.map((text): Line => ({ id: String((lineNumber += 1)).padStart(12, '0'), text }));
      lines.set(keyText(key), [...(lines.get(keyText(key)) ?? []), ...added]);
      for (const listener of readers.get(keyText(key)) ?? []) listener(added);
    },
    setPointsHere: (next) => void (pointsHere = next),
    setCertificateIssuer: (next) => void (issuer = next),
    setSignIn: (next) => void (signIn = next),
    setOff: (next) => void (off = next),
  };
}
