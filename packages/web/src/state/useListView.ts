import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useLayoutEffect, useMemo } from 'react';
import type { TableView } from '../ui/table/QueryTable.tsx';
import {
  isAskew,
  listQuery,
  listWords,
  sizesOf,
  type ListKind,
  type ListsSearch,
  type ListViewQuery,
} from './listView.ts';

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
