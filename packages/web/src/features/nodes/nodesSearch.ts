import { nodeType, PAGE_SIZE, type NodeQuery } from '@sallyport/sdk/contract';
import { listQuery, listsSearch, type ListKind, type ListsSearch } from '../../state/listView.ts';

/** The list of nodes. */
export const nodesList = {
  name: '',
  columns: ['status', 'name', 'isGateway', 'latestHandshakeTimestamp', 'transferRx', 'transferTx'],
  size: PAGE_SIZE,
  tagged: true,
} as const satisfies ListKind<string>;

/** What the address of the nodes list says: how it is looked at, and which kind of node; all when there is no `type`. */
export type NodesSearch = ListsSearch & { type?: (typeof nodeType)[number] | undefined };

/** Reads the search of an address; what it cannot mean is left out. */
export function nodesSearch(search: Record<string, unknown>): NodesSearch {
  const type = nodeType.find((known) => known === search['type']);
  return { ...listsSearch(search), ...(type ? { type } : {}) };
}

/** The query that stands for it; loader, screen and stream use the same one. */
export function nodesQuery(search: NodesSearch): NodeQuery {
  const { type } = nodesSearch(search);
  return { ...listQuery(nodesList, search), ...(type ? { type } : {}) };
}
