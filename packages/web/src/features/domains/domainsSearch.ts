import { PAGE_SIZE, type DomainQuery } from '@sallyport/sdk/contract';

/** What the address of the domains list says: which page. */
export type DomainsSearch = { page?: number };

/** Reads the search of an address; what it cannot mean is left out. */
export function domainsSearch(search: Record<string, unknown>): DomainsSearch {
  const page = Number(search['page']);
  return Number.isSafeInteger(page) && page > 1 ? { page } : {};
}

/** The query that stands for it. */
export const domainsQuery = ({ page = 1 }: DomainsSearch): DomainQuery => ({ page, limit: PAGE_SIZE });
