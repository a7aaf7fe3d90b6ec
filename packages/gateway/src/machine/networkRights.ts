import { readFileSync } from 'node:fs';

const CAP_NET_ADMIN = 12n;

/** Whether this process may change networks and end connections. Root may, but not in every container. */
export function hasNetworkRights(): boolean {
  const rights = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${rights}`) & (1n << CAP_NET_ADMIN)) !== 0n;
}
