import { useLayoutEffect } from 'react';

/** Goes back to the last page there is when the page on the screen has lost its rows, before its emptiness is seen. */
export function useLastPage(
  list: { limit: number; total: number } | undefined,
  page: number,
  onPage: (page: number) => void,
): void {
  const last = list === undefined ? page : Math.max(1, Math.ceil(list.total / list.limit));
  useLayoutEffect(() => {
    if (page > last) onPage(last);
  }, [page, last, onPage]);
}
