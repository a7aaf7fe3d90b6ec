import { failure } from '../failure.ts';
import type { NodeRow } from '../../store/rows.ts';
import type { StoreReader } from '../../store/transaction.ts';
import type { Context } from '../context.ts';
import type { NodeConfiguration, World } from '../../world.ts';
import type { Node, NodeQuery, Page } from '@sallyport/sdk/contract';

/** The node that a path names; 404 when there is none. */
export async function nodeOf(at: Pick<StoreReader, 'nodes'>, id: number): Promise<NodeRow> {
  const node = await at.nodes.get(id);
  if (node === null) throw failure.notFound('Node not found!');
  return node;
}

/** The id of the node that the caller's access token belongs to. */
export function ownNodeId({ caller }: Pick<Context, 'caller'>): number {
  if (caller?.type !== 'node') throw failure.forbidden();
  return caller.nodeId;
}

/** The node that the caller's access token belongs to. */
export const ownNode = (context: Pick<Context, 'caller' | 'store'>): Promise<NodeRow> =>
  nodeOf(context.store, ownNodeId(context));

/** The WireGuard configuration of a node, private keys included. @throws {Failure} 400 when it cannot be made */
export function configurationOf(
  row: NodeRow,
  { world }: { world: Pick<World, 'nodeConfiguration'> },
): Extract<NodeConfiguration, { text: string }> {
  const configuration = world.nodeConfiguration(row);
  if ('problem' in configuration) throw failure.rejected(configuration.problem);
  return configuration;
}

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
