import { nodeType, PAGE_SIZE, type NodeQuery } from '@sallyport/sdk/contract';

/** What the address of the nodes list says: which page, and which kind of node; all when there is no `type`. */
export type NodesSearch = { page?: number; type?: (typeof nodeType)[number] };

/** Reads the search of an address; what it cannot mean is left out. */
export function nodesSearch(search: Record<string, unknown>): NodesSearch {
  const page = Number(search['page']);
  const type = nodeType.find((known) => known === search['type']);
  return { ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}), ...(type ? { type } : {}) };
}

/** The query that stands for it; loader, screen and stream use the same one. */
export const nodesQuery = ({ page = 1, type }: NodesSearch): NodeQuery => ({
  page,
  limit: PAGE_SIZE,
  ...(type ? { type } : {}),
});
