import { asOneLine, check, TAG_FILTERS_MAX, tagFilter } from '@sallyport/sdk/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useLayoutEffect, useMemo } from 'react';
import type { TableView } from '../ui/table/QueryTable.tsx';

/** A list that the gateway pages, orders and searches, as the console knows it. */
export type ListKind<Column extends string> = {
  /** Begins the list's words in the address: `tokens` makes `tokensPage`. `''` for the list that is the page itself. */
  name: string;
  /** What its rows can be ordered by. */
  columns: readonly Column[];
  /** Rows on a page unless someone chooses otherwise. */
  size: number;
  /** Its rows have tags, by which it can be filtered. */
  tagged?: true;
};

/** What a list is asked for. */
export type ListViewQuery<Column extends string> = TableView<Column>['query'];

/** The words of an address that lists have set. What is as usual is not in it. */
export type ListsSearch = { [key: string]: string | number | undefined };

type Word = 'page' | 'size' | 'sort' | 'search' | 'tag';
const WORD = /^(?:page|size|sort|search|tag|\w+(?:Page|Size|Sort|Search|Tag))$/;

/** Longest text that may be looked for. */
const SEARCH_MAX_CHARS = 200;

/** What a word is called in the address of a list. */
export const wordOf = ({ name }: Pick<ListKind<string>, 'name'>, word: Word): string =>
  name === '' ? word : `${name}${word[0]?.toUpperCase()}${word.slice(1)}`;

/** The page sizes to choose from. */
export const sizesOf = ({ size }: Pick<ListKind<string>, 'size'>): readonly number[] =>
  [1, 2, 5, 10].map((factor) => size * factor);

/**
 * Keeps the words of an address that may be a list's; what they mean is seen when the list reads them.
 * @param filters the words of what narrows the list down
 */
export function listsSearch(search: Record<string, unknown>, filters: readonly string[] = []): ListsSearch {
  const kept = Object.entries(search).filter(
    ([key, value]) =>
      (WORD.test(key) || filters.includes(key)) && (typeof value === 'string' || typeof value === 'number'),
  );
  return Object.fromEntries(kept) as ListsSearch;
}

/** What the address asks a list for; words that it cannot mean count for nothing. */
export function listQuery<Column extends string>(kind: ListKind<Column>, search: ListsSearch): ListViewQuery<Column> {
  const page = Number(search[wordOf(kind, 'page')]);
  const limit = Number(search[wordOf(kind, 'size')]);
  const sort = String(search[wordOf(kind, 'sort')] ?? '');
  // The gateway refuses to look for what no name holds.
  const text = asOneLine(String(search[wordOf(kind, 'search')] ?? '')).slice(0, SEARCH_MAX_CHARS);
  const tag =
    kind.tagged && check(tagFilter.tag, String(search[wordOf(kind, 'tag')] ?? '').split(',', TAG_FILTERS_MAX));
  const column = kind.columns.find((known) => known === sort.replace(/^-/, ''));
  return {
    page: Number.isSafeInteger(page) && page > 1 && page <= 1_000_000 ? page : 1,
    limit: sizesOf(kind).includes(limit) ? limit : kind.size,
    ...(column === undefined ? {} : { orderBy: `${column},${sort.startsWith('-') ? 'desc' : 'asc'}` as const }),
    ...(text === '' ? {} : { search: text }),
    ...(tag?.ok && tag.value ? { tag: tag.value } : {}),
  };
}

/** Whether the address says something about a list that it cannot mean, or says what is so anyway. */
export function isAskew<Column extends string>(kind: ListKind<Column>, search: ListsSearch): boolean {
  const words = listWords(kind, listQuery(kind, search));
  return Object.entries(words).some(
    ([name, meant]) => meant !== search[name] && String(meant) !== String(search[name]),
  );
}

/** The words that ask for it, for the address; those that are as usual are undefined, which takes them out. */
export function listWords<Column extends string>(
  kind: ListKind<Column>,
  { page, limit, orderBy, search, tag }: ListViewQuery<Column>,
): ListsSearch {
  const [column, direction] = orderBy?.split(',') ?? [];
  return {
    [wordOf(kind, 'page')]: page === 1 ? undefined : page,
    [wordOf(kind, 'size')]: limit === kind.size ? undefined : limit,
    [wordOf(kind, 'sort')]: column === undefined ? undefined : `${direction === 'desc' ? '-' : ''}${column}`,
    [wordOf(kind, 'search')]: search === '' ? undefined : search,
    // They have no commas.
    [wordOf(kind, 'tag')]: tag?.join(',') || undefined,
  };
}

/**
 * How a list is looked at, kept in the page's address: a reload, a bookmark and the browser's Back find it again. The
 * route's `validateSearch` passes a list's words through `listsSearch`.
 */
export function useListView<Column extends string>(kind: ListKind<Column>): TableView<Column> {
  const search: ListsSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const asked = JSON.stringify(listQuery(kind, search));
  const query = useMemo(() => JSON.parse(asked) as ListViewQuery<Column>, [asked]);

  const change = useCallback(
    (next: Partial<ListViewQuery<Column>>, replace: boolean) =>
      void navigate({
        to: '.',
        // Each change is made to what the address says by then: another list may have changed it in between.
        search: (current: ListsSearch) => ({
          ...current,
          ...listWords(kind, { ...listQuery(kind, current), ...next }),
        }),
        replace,
        resetScroll: false,
      }),
    [kind, navigate],
  );

  // An address that was edited by hand says afterwards what is shown.
  const askew = isAskew(kind, search);
  useLayoutEffect(() => {
    if (askew) change({}, true);
  }, [askew, change]);

  return {
    query,
    sizes: sizesOf(kind),
    goTo: useCallback((page) => change({ page }, false), [change]),
    correct: useCallback((page) => change({ page }, true), [change]),
    resize: (limit) => change({ limit, page: 1 }, false),
    filter: (tag) => change({ tag, page: 1 }, false),
    look: (text) => change({ search: text, page: 1 }, true),
    heading(column) {
      const descending = query.orderBy === `${column},desc`;
      const ascending = query.orderBy === `${column},asc`;
      return {
        sorted: ascending ? 'ascending' : descending ? 'descending' : undefined,
        onSort: () => change({ orderBy: `${column},${ascending ? 'desc' : 'asc'}`, page: 1 }, true),
      };
    },
  };
}
