import { type ListsSearch, listsSearch } from '../../state/listView.ts';

/** What of an address says which services the list shows; what the words mean is seen when it reads them. */
export const servicesSearch = (search: Record<string, unknown>): ListsSearch =>
  listsSearch(search, ['kind', 'status', 'access', 'node', 'domain']);
