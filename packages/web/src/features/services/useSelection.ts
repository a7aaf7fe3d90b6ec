import { isApiError } from '@sallyport/sdk';
import { BULK_MAX, type ListedService } from '@sallyport/sdk/contract';
import { useEffect, useRef, useState } from 'react';
import { useConnection } from '../../data/connection.ts';
import { invoke } from '../../data/queries.ts';
import { toasts } from '../../state/toasts.ts';
import { serviceKinds } from './services.ts';

/** Tells services of both kinds apart. */
export const keyOfService = ({ type, id }: Pick<ListedService, 'type' | 'id'>): string => type + id;

/** What selects a whole page. */
export const ALL_OF_PAGE = 'Select all services of this page';

/** How long a note about a selection stays: it comes by itself, and has a name in it. */
const NOTE_MS = 6000;

/** The services that are selected for a bulk action. */
export type Selection = {
  /** Each as it was seen last. */
  rows: readonly ListedService[];
  has: (row: ListedService) => boolean;
  /** @param withRange all that are between the last one and this one as well */
  toggle: (row: ListedService, on: boolean, withRange: boolean) => void;
  /** All of the page, or none of it. */
  togglePage: (on: boolean) => void;
  /** How much of the page is selected. */
  ofPage: 'all' | 'some' | 'none';
  /** These are selected no longer. */
  drop: (rows: readonly ListedService[]) => void;
  clear: () => void;
  /** Reads a selected service again; one that is gone is selected no longer. */
  reread: (row: ListedService) => Promise<void>;
};

type Chosen = ReadonlyMap<string, ListedService>;
const NONE: Chosen = new Map();

/**
 * What is selected of a list. It is kept over its pages and their order; another search or filter begins a new selection, for
 * what the list does not show could be changed unseen.
 * @param page the rows that are shown; undefined: not read yet
 * @param view which page of which list it is
 * @param filters what narrows the list down
 */
export function useSelection(page: readonly ListedService[] | undefined, view: string, filters: string): Selection {
  const { client } = useConnection();
  const [chosen, setChosen] = useState(NONE);
  const [chosenOf, setChosenOf] = useState(filters);
  const last = useRef<string | null>(null);
  if (chosenOf !== filters) {
    setChosenOf(filters);
    setChosen(NONE);
  }

  const without = (rows: readonly ListedService[]) =>
    setChosen((before) => {
      const gone = new Set(rows.map(keyOfService));
      return new Map([...before].filter(([key]) => !gone.has(key)));
    });
  const reread = async (row: ListedService): Promise<void> => {
    const { nodeId, id, type, name, nodeName, nodeAddress } = row;
    try {
      const now = await invoke(client, `${serviceKinds[type].group}.get`, { params: { nodeId, id } });
      const fresh = { ...now, type, nodeName, nodeAddress } as ListedService;
      setChosen((before) => (before.has(keyOfService(row)) ? new Map(before).set(keyOfService(row), fresh) : before));
    } catch (error) {
      // Else it is asked for again by what is done to it.
      if (!isApiError(error, 'missing')) return;
      without([row]);
      toasts.show(`${name} was deleted, and is not selected any more.`, 'info', NOTE_MS);
    }
  };
  useFollow(page, view, chosen, { setChosen, reread });

  const add = (rows: readonly ListedService[]) => {
    const next = new Map([...chosen, ...rows.map((row) => [keyOfService(row), row] as const)].slice(0, BULK_MAX));
    if (next.size === BULK_MAX && rows.some((row) => !next.has(keyOfService(row)))) {
      toasts.show(`${BULK_MAX} services at most can be selected.`, 'warning');
    }
    setChosen(next);
  };
  const count = page?.filter((row) => chosen.has(keyOfService(row))).length ?? 0;
  return {
    rows: [...chosen.values()],
    has: (row) => chosen.has(keyOfService(row)),
    toggle(row, on, withRange) {
      const rows = withRange ? between(page ?? [], last.current, row) : [row];
      last.current = keyOfService(row);
      if (on) add(rows);
      else without(rows);
    },
    togglePage: (on) => (on ? add(page ?? []) : without(page ?? [])),
    ofPage: count === 0 ? 'none' : count === page?.length ? 'all' : 'some',
    drop: without,
    clear: () => setChosen(NONE),
    reread,
  };
}

/** Keeps what is selected as it is shown, and asks about what is not there any more: it was deleted, or has moved. */
function useFollow(
  page: readonly ListedService[] | undefined,
  view: string,
  chosen: Chosen,
  { setChosen, reread }: { setChosen: (next: Chosen) => void; reread: Selection['reread'] },
): void {
  const seen = useRef<{ view: string; keys: ReadonlySet<string> }>({ view, keys: new Set() });
  useEffect(() => {
    if (page === undefined) return;
    const here = new Map(page.map((row) => [keyOfService(row), row]));
    const before = seen.current.view === view ? seen.current.keys : new Set();
    seen.current = { view, keys: new Set(here.keys()) };
    for (const [key, row] of chosen) if (before.has(key) && !here.has(key)) void reread(row);
    const isStale = [...chosen].some(([key, row]) => (here.get(key) ?? row).version !== row.version);
    if (isStale) setChosen(new Map([...chosen].map(([key, row]) => [key, here.get(key) ?? row])));
  }, [page, view, chosen, setChosen, reread]);
}

/** The rows from one to another, in the order of the page. */
function between(page: readonly ListedService[], from: string | null, to: ListedService): readonly ListedService[] {
  const [start, end] = [page.findIndex((row) => keyOfService(row) === from), page.indexOf(to)];
  return start < 0 || end < 0 ? [to] : page.slice(Math.min(start, end), Math.max(start, end) + 1);
}
