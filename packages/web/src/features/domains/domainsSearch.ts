import { PAGE_SIZE } from '@sallyport/sdk/contract';
import { listsSearch, type ListKind, type ListsSearch } from '../../state/listView.ts';

/** The list of domains. */
export const domainsList = {
  name: '',
  columns: ['domain', 'ssl', 'created_at'],
  size: PAGE_SIZE,
  tagged: true,
} as const satisfies ListKind<string>;

/** What the address of the domains list says: how it is looked at, and which of its rows are unfolded, by their ids. */
export type DomainsSearch = ListsSearch & { open?: string | number };

/** Reads the search of an address; what it cannot mean is left out. */
export function domainsSearch(search: Record<string, unknown>): DomainsSearch {
  return { ...listsSearch(search), ...openOf(idsOf(search['open'])) };
}

/** The word of the address for these ids; a single one is a number, which needs no quotes there. */
export function openOf([first, ...others]: readonly number[]): { open?: string | number } {
  if (first === undefined) return {};
  return { open: others.length === 0 ? first : [first, ...others].join('-') };
}

// What the services of an unfolded row are looked at by: `http3Page`, `tcp17Search`.
const OF_SERVICES = /^(?:http|tcp)([1-9]\d*)[A-Z]/;

/** The words of an address without those of the services of rows that are folded; `open` are the ids of the others. */
export const withoutServices = (search: ListsSearch, open: readonly number[]): ListsSearch =>
  Object.fromEntries(
    Object.entries(search).filter(([key]) => {
      const id = OF_SERVICES.exec(key)?.[1];
      return id === undefined || open.includes(Number(id));
    }),
  );

/** The ids in `3-17`. */
export const idsOf = (open: unknown): number[] => {
  if (typeof open !== 'string' && typeof open !== 'number') return [];
  return String(open)
    .split('-')
    .filter((id) => /^[1-9]\d{0,14}$/.test(id))
    .map(Number);
};
