import { isApiError } from '@sallyport/sdk';
import { isMac, TYPED_FIELDS } from '../state/browser.ts';
import { dialogs } from '../state/dialogs.ts';
import { toasts } from '../state/toasts.ts';
import { Keys } from '../ui/controls/Keys.tsx';
import { showActionToast } from './actionToast.tsx';
import type { Connection } from './connection.ts';
import { invoke, queriesOf, readAfter, type WriteName } from './queries.ts';
import type { Switch, SwitchCall } from './useSwitch.ts';

const UNDO_KEYS = isMac ? ['⌘', 'Z'] : ['Ctrl', 'Z'];
const UNDO_ARIA = isMac ? 'Meta+Z' : 'Control+Z';

/** So long it is told that nothing was undone. */
const REFUSED_MS = 8000;

type Offer = {
  /** What was done: "Node connected successfully!". */
  done: string;
  /** Which objects it was done to: `node 3`. */
  of: readonly string[];
  undo: () => unknown;
};

/** What can be taken back at the moment, the newest last. */
let offers: { of: readonly string[]; toast: number; take: () => void }[] = [];

/** Tells that something was done, and for ten seconds takes it back when that is asked for. */
export function offerUndo({ session }: Pick<Connection, 'session'>, { done, of, undo }: Offer): void {
  // Whatever was done to an object before is not what it is like any more.
  withdraw((offer) => offer.of.some((each) => of.includes(each)));
  const take = () => {
    offers = offers.filter(({ toast }) => toast !== id);
    undo();
  };
  const id = showActionToast({
    message: done,
    type: 'success',
    action: (
      <button type="button" aria-keyshortcuts={UNDO_ARIA} onClick={take}>
        Undo
        <span aria-hidden className="ml-1 max-sm:hidden pointer-coarse:hidden">
          <Keys keys={UNDO_KEYS} />
        </span>
      </button>
    ),
  });
  offers.push({ of, toast: id, take });
  // Once, however often it is said.
  addEventListener('keydown', onKey);
  // What one administrator did is not for the next to take back.
  const stop = session.subscribe(() => {
    if (session.token() !== null) return;
    stop();
    withdraw((offer) => offer.toast === id);
  });
}

function withdraw(isMeant: (offer: (typeof offers)[number]) => boolean): void {
  for (const { toast } of offers.filter(isMeant)) toasts.close(toast);
  offers = offers.filter((offer) => !isMeant(offer));
}

function onKey(event: KeyboardEvent): void {
  const { target, key, metaKey, ctrlKey, altKey, shiftKey, defaultPrevented, repeat } = event;
  const isUndo = key.toLowerCase() === 'z' && (isMac ? metaKey : ctrlKey) && !altKey && !shiftKey;
  if (!isUndo || defaultPrevented || repeat || dialogs.get().length > 0) return;
  // There it takes back what was typed.
  if (target instanceof Element && target.closest(TYPED_FIELDS)) return;
  const shown = new Set(toasts.get().map(({ id }) => id));
  const last = offers.findLast(({ toast }) => shown.has(toast));
  if (!last) return;
  event.preventDefault();
  toasts.close(last.toast);
  last.take();
}

/** Tells that an object was enabled or disabled, and offers to make it as it was. */
export function tellSwitched(connection: Connection, { group, verb, done, row, params, version }: Switch): void {
  // Someone else may have changed it first, and a time limit that is gone does not come back.
  if (version !== row.version + 1 || (row.enabled && row.expiresAt)) {
    toasts.show(done[verb], 'success');
    return;
  }
  const other = verb === 'enable' ? 'disable' : 'enable';
  const call: SwitchCall = `${group}.${other}`;
  const undo = () =>
    takeBack(connection, {
      name: row.name,
      call,
      done: done[other],
      act: () => invoke(connection.client, call, { params }, { ifMatch: version }),
    });
  offerUndo(connection, { done: done[verb], of: [`${group} ${row.id}`], undo });
}

type TakenBack = {
  /** Of the object. */
  name: string;
  /** What is called, with the version that what is taken back left. */
  call: WriteName;
  act: () => Promise<unknown>;
  /** What is told then. */
  done: string;
};

/** Takes something back, unless the object was changed again meanwhile: then nothing is done, and that is told. */
export async function takeBack(connection: Connection, { name, call, act, done }: TakenBack): Promise<void> {
  try {
    await act();
    toasts.show(done, 'success');
  } catch (error) {
    if (isApiError(error, 'conflict')) {
      toasts.show(`${name} was changed again in the meantime, so nothing was undone.`, 'warning', REFUSED_MS);
    } else connection.fail(error, { tell: true });
  }
  readAfter(queriesOf(connection), call);
}
