import { failure } from '../failure.ts';
import type { HttpServiceRow, NodeRow, TcpServiceRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Context } from '../context.ts';

type Listed = Pick<HttpServiceRow, 'allowedIps' | 'blockedIps'> & Partial<Pick<HttpServiceRow, 'skipAuthRoutes'>>;

/**
 * Refuses the access token of a node what would be more than the node's share of what all nodes have in common. It is
 * asked within the transaction that writes, so calls at the same moment are counted one after the other. What the
 * administrator gave a node counts, but is never refused.
 * @param before the service as it is; null: it is new
 * @throws {Failure} 400
 */
export async function requireWithinQuota(
  tx: Transaction,
  { caller, settings: { nodeLimits } }: Pick<Context, 'caller' | 'settings'>,
  { node, next, before, takesPort }: { node: NodeRow; next: Listed; before: Listed | null; takesPort: boolean },
): Promise<void> {
  if (caller?.type !== 'node') return;
  const http = await tx.httpServices.all({ nodeId: node.id });
  const tcp = await tx.tcpServices.all({ nodeId: node.id });
  if (before === null) {
    refuseFull('services', http.length + tcp.length, nodeLimits.services, 'SALLYPORT_NODE_SERVICES');
    if (takesPort) refuseFull('public ports', tcp.length, nodeLimits.publicPorts, 'SALLYPORT_NODE_PORTS');
  }
  const added = entriesOf(next) - (before === null ? 0 : entriesOf(before));
  const entries = [...http, ...tcp].reduce((sum, row: HttpServiceRow | TcpServiceRow) => sum + entriesOf(row), added);
  if (added > 0 && entries > nodeLimits.listEntries) {
    throw failure.rejected(
      `This node's services would have ${entries} entries in their lists, and its access tokens may not add to more than ${nodeLimits.listEntries}. Shorten a list, or ask the administrator to raise SALLYPORT_NODE_LIST_ENTRIES.`,
    );
  }
}

function refuseFull(what: string, count: number, limit: number, setting: string): void {
  if (count < limit) return;
  throw failure.rejected(
    `This node has ${count} ${what}, and its access tokens may not add to more than ${limit}. Ask the administrator to delete some, or to raise ${setting}.`,
  );
}

/** The entries of all lists of a service; one that was damaged by hand has none. */
const entriesOf = ({ allowedIps, blockedIps, skipAuthRoutes }: Listed): number =>
  lengthOf(allowedIps) + lengthOf(blockedIps) + (skipAuthRoutes ?? '').split('\n').filter((line) => line !== '').length;

const lengthOf = (list: string[] | null): number => (Array.isArray(list) ? list.length : 0);
