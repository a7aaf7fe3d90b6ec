import { vpnSubnet } from '../rules/ipNetwork.ts';
import { createNodeKeys, createPresharedKey } from '../vault/keyVault.ts';
import type { WiredoorCalls } from './wiredoorCalls.ts';
import { objectsOf, type WiredoorData } from './wiredoorDatabase.ts';

/**
 * A Wiredoor server as far as its API tells it: without its keys and those of its nodes, which get new ones, and addresses of
 * the network that this gateway has.
 * @param origin how the server is known, so that it is recognised a second time
 */
export async function readWiredoorApi(
  { list }: WiredoorCalls,
  { origin, subnet, port }: { origin: string; subnet: string; port: number },
): Promise<WiredoorData> {
  // One after the other: it may be a small machine.
  const rows = {
    nodes: await list('/api/nodes'),
    domains: await list('/api/domains'),
    httpServices: await list('/api/services/http'),
    tcpServices: await list('/api/services/tcp'),
  };
  const data = objectsOf({
    nodes: rows.nodes.map(stored),
    domains: rows.domains.map(({ authentication, allowedEmails, ...row }) =>
      stored({ ...row, oauth2ServicePort: authentication === true ? 1 : null, oauth2Config: { allowedEmails } }),
    ),
    httpServices: rows.httpServices.map(stored),
    tcpServices: rows.tcpServices.map(stored),
    tokens: [],
  });
  const taken = new Set<string>();
  let last = '';
  const nodes = data.nodes.map((node) => {
    const address = node.isLocal ? node.address : (vpnSubnet(subnet).nextFree(taken, last) ?? '');
    if (!node.isLocal) taken.add((last = address));
    return { ...node, address, keys: { ...createNodeKeys(), presharedKey: createPresharedKey() } };
  });
  return { ...data, nodes, origin, server: { ...createNodeKeys(), subnet, port }, tokenKey: null };
}

/** A row of the API as the database has it. */
const stored = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'boolean'
        ? Number(value)
        : typeof value === 'object' && value !== null
          ? JSON.stringify(value)
          : value,
    ]),
  );
