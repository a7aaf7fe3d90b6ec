import { useRouter } from '@tanstack/react-router';
import { cloneElement, type ReactElement } from 'react';
import { dialogs } from '../state/dialogs.ts';
import { showActionToast } from './actionToast.tsx';
import { type Connection, useConnection } from './connection.ts';
import { queriesOf } from './queries.ts';

/** Something new, and where it is listed. */
export type NewRow = {
  name: string;
  /** The titles of the lists that it belongs into, and the key of its row there. */
  lists: Record<string, string | number>;
  /** Where it is seen in any case: a router's link that says "Show it". */
  link: ReactElement<{ className?: string; onClick?: () => void }>;
};

/** So long a new row is told apart from the others: where nothing may move it does not fade. */
const MARKED_MS = 5000;

/** Shows what was just made in the list on the screen, once nothing lies over that. */
export function useShowNew(): (made: NewRow) => void {
  const connection = useConnection();
  const router = useRouter();
  const arrived = () =>
    until({ subscribe: (listener) => router.subscribe('onResolved', listener) }, () => !router.state.isLoading);
  return (made) => void showNew(connection, arrived, made);
}

async function showNew(
  connection: Connection,
  arrived: () => Promise<void>,
  { name, lists, link }: NewRow,
): Promise<void> {
  const queries = queriesOf(connection);
  // One dialog follows the other, and the list may be gone to after the last.
  do {
    await until(dialogs, () => dialogs.get().length === 0);
    await drawn();
    await arrived();
    await until(queries.getQueryCache(), () => queries.isFetching() === 0);
    await drawn();
  } while (dialogs.get().length > 0);
  const [shown] = Object.entries(lists).flatMap(([title, key]) => {
    const list = document.querySelector(`table[aria-label="${CSS.escape(title)}"]`);
    return list ? [{ row: list.querySelector<HTMLElement>(`[data-row="${CSS.escape(String(key))}"]`) }] : [];
  });
  if (!shown) return;
  if (shown.row) mark(shown.row);
  else
    showActionToast({
      message: `${name} was added. The list as it is now does not show it.`,
      action: cloneElement(link, {}, 'Show it'),
    });
}

function mark(row: HTMLElement): void {
  row.dataset['new'] = '';
  row.scrollIntoView({ block: 'nearest' });
  setTimeout(() => delete row.dataset['new'], MARKED_MS);
}

/** Resolves as soon as it is so. */
function until(store: { subscribe: (listener: () => void) => () => void }, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo()) return;
      stop();
      resolve();
    };
    const stop = store.subscribe(look);
    look();
  });
}

/** What the queries have told by now is on the screen. */
const drawn = () => new Promise<void>((resolve) => setTimeout(() => requestAnimationFrame(() => resolve())));
