import type { Node, NodeQuery, Page } from '@sallyport/sdk/contract';

// Offline first, as the least alive.
const STATUS_RANK = { offline: 0, idle: 1, online: 2 } as const;

/** What the tunnel alone knows of a node, as a number to order by; null when it knows nothing. */
const RUNTIME = {
  status: (node: Node) => STATUS_RANK[node.status],
  latestHandshakeTimestamp: (node: Node) => node.latestHandshakeTimestamp,
  transferRx: (node: Node) => node.transferRx,
  transferTx: (node: Node) => node.transferTx,
} as const;

/** An order that the database cannot make; null when it can. */
export function runtimeOrder(orderBy: NodeQuery['orderBy']): ((a: Node, b: Node) => number) | null {
  const [column, direction] = orderBy?.split(',') ?? [];
  const valueOf = Object.entries(RUNTIME).find(([name]) => name === column)?.[1];
  if (valueOf === undefined) return null;
  const sign = direction === 'desc' ? -1 : 1;
  return (a, b) => {
    // The local node is first in every list, and nodes without a value are last in both directions.
    if (a.isLocal !== b.isLocal) return a.isLocal ? -1 : 1;
    const [first, second] = [valueOf(a) ?? null, valueOf(b) ?? null];
    if (first === null || second === null) return Number(first === null) - Number(second === null) || a.id - b.id;
    return sign * (first - second) || a.id - b.id;
  };
}

/** The page that is asked for, out of all rows. */
export function pageOfAll<Row>(
  rows: readonly Row[],
  { page = 1, limit }: Pick<NodeQuery, 'page' | 'limit'>,
): Page<Row> {
  if (limit === undefined) return { data: [...rows], page: 1, limit: rows.length, total: rows.length };
  return { data: rows.slice((page - 1) * limit, page * limit), page, limit, total: rows.length };
}
