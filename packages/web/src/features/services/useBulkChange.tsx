import { clientOf, groupKey, isApiError, isReplyLost, newIdempotencyKey } from '@sallyport/sdk';
import {
  type BulkAction,
  bulkEndpoints,
  type BulkInput,
  type BulkResult,
  type ListedService,
} from '@sallyport/sdk/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConnection } from '../../data/connection.ts';
import { openDialog } from '../../state/dialogs.ts';
import { toasts } from '../../state/toasts.ts';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';
import { countOf, type Refusal } from './bulk.ts';
import { serviceKinds } from './services.ts';
import { offerDomainRemoval } from './useServiceActions.tsx';
import type { Selection } from './useSelection.ts';

/** What is to be done, without to what. */
export type BulkWish = Omit<BulkInput, 'items'>;

const fetchDialogs = () => import('./BulkDialogs.tsx');
const RefusedDialog = lazyDialog(async () => (await fetchDialogs()).RefusedDialog);
const LostDialog = lazyDialog(async () => (await fetchDialogs()).LostDialog);

/** What lists may show of services. */
const TOUCHED = ['service', 'httpService', 'tcpService', 'domain'] as const;

/** So long a note stays that says more than that it is done. */
const WARNING_MS = 8000;

/**
 * Does something to many services at once, and tells what became of it. What is done is selected no longer; what was refused
 * stays selected, as it is by then.
 */
export function useBulkChange(selection: Pick<Selection, 'drop' | 'reread'>) {
  const connection = useConnection();
  const { options, session, fail } = connection;
  const queries = useQueryClient();
  const [running, setRunning] = useState<BulkAction | null>(null);
  const readAgain = () => Promise.all(TOUCHED.map((group) => queries.invalidateQueries({ queryKey: groupKey(group) })));

  async function tell(
    wish: BulkWish,
    services: readonly ListedService[],
    results: readonly BulkResult[],
    mayUndo: boolean,
  ) {
    const refused: Refusal[] = [];
    const left: ListedService[] = [];
    let unserved = 0;
    for (const [index, service] of services.entries()) {
      const { status = 0, message = null, problem = null } = results[index] ?? {};
      if (status !== 200) refused.push({ service, status, message });
      if (status === 200 || status === 404) left.push(service);
      else if (status === 412) void selection.reread(service);
      if (status === 200 && wish.action === 'enable' && problem !== null) unserved += 1;
    }
    selection.drop(left);
    const done = services.length - refused.length;
    if (refused.length > 0) {
      await openDialog((close) => <RefusedDialog wish={wish} done={done} refused={refused} onClose={close} />);
    } else if (unserved > 0) {
      const said = `${countOf(wish, done)} Of these, ${unserved} cannot be served yet: the list says why.`;
      toasts.show(said, 'warning', WARNING_MS);
    } else if (!mayUndo || !(await offerBack(wish, services, results))) {
      toasts.show(countOf(wish, done), 'success');
    }
    if (wish.action === 'remove') {
      void offerDomainRemoval(
        connection,
        services.filter((_, index) => results[index]?.status === 200),
      );
    }
  }

  /** Offers to take back what was enabled or disabled; false: not all of it can be. */
  async function offerBack({ action }: BulkWish, services: readonly ListedService[], results: readonly BulkResult[]) {
    // A time limit that is gone does not come back.
    if ((action !== 'enable' && action !== 'disable') || services.some((each) => each.enabled && each.expiresAt)) {
      return false;
    }
    const changed = services.flatMap((service, index) => {
      const version = results[index]?.version ?? 0;
      return service.enabled !== (action === 'enable') && version === service.version + 1
        ? [{ ...service, version }]
        : [];
    });
    const back = action === 'enable' ? 'disable' : 'enable';
    const offer = {
      done: countOf({ action }, services.length),
      of: changed.map(({ type, id }) => `${serviceKinds[type].group} ${id}`),
      undo: () => run({ action: back }, changed, true),
    };
    if (changed.length === 0) return false;
    try {
      (await import('../../data/undo.tsx')).offerUndo({ session }, offer);
    } catch {
      return false;
    }
    return true;
  }

  async function run(wish: BulkWish, services: readonly ListedService[], isUndo = false): Promise<void> {
    // Whatever a service has become, it is to be closed; anything else is meant as it was seen.
    const withVersion = wish.action !== 'disable' || isUndo;
    const items = services.map(({ type, id, version }) => ({ type, id, ...(withVersion && { version }) }));
    // What says that the gateway did not answer cannot be fetched from it then.
    await fetchDialogs().catch(() => null);
    // The same one for each time that it is sent: what was done is not done again, and what came of it is told.
    const idempotencyKey = newIdempotencyKey();
    const { bulk } = clientOf({ bulk: bulkEndpoints }, options);
    for (;;) {
      setRunning(wish.action);
      try {
        const { results } = await bulk.services({ body: { ...wish, items } }, { idempotencyKey });
        // What is selected next is meant as it is by now.
        await readAgain();
        // What is told is told of something that is over.
        setRunning(null);
        await tell(wish, services, results, !isUndo);
        return;
      } catch (error) {
        void readAgain();
        setRunning(null);
        if (!isReplyLost(error)) {
          fail(error, { tell: true });
          if (isApiError(error, 'invalid')) toasts.show(error.message, 'error');
          return;
        }
      }
      const again = await openDialog<true>((close) => (
        <LostDialog wish={wish} count={services.length} onAgain={() => close(true)} onClose={() => close()} />
      ));
      if (again !== true) return;
    }
  }

  return {
    /** What is being done at the moment. */
    running,
    run: (wish: BulkWish, services: readonly ListedService[]) => run(wish, services),
  };
}
