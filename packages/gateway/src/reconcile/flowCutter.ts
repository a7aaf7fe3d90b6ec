import { closedFlows } from './closedFlows.ts';
import { formerServices, type OpenServices } from './openServices.ts';
import type { Desired } from '../store/store.ts';
import type { Flows } from '../system/flows.ts';

/** Ends the connections that closed services left open. */
export type FlowCutter = {
  /** To be called when `open` is what nginx serves. A failure is logged; it is no reason to refuse a change. */
  follow(desired: Desired, open: OpenServices): Promise<void>;
  /** False when the machine refused it the last time. */
  works(): boolean;
};

export function createFlowCutter(
  flows: Flows,
  log: Record<'info' | 'warn', (facts: object, message: string) => void>,
): FlowCutter {
  let before: OpenServices | null = null;
  let works = true;

  const cut = async (targets: Parameters<Flows['cut']>[0]): Promise<void> => {
    const ended = await flows.cut(targets);
    works = ended !== null;
    if (ended === null) log.warn({}, 'open connections of closed services could not be ended');
    else if (ended > 0) log.info({ ended }, 'open connections of closed services were ended');
  };

  return {
    async follow(desired, open) {
      const past = before ?? formerServices(desired, open);
      // A backend that cannot be found at the moment may still have connections from before.
      before = new Map(
        [...open].map(([key, service]) => {
          const addresses = service.addresses.length > 0 ? service.addresses : (past.get(key)?.addresses ?? []);
          return [key, { ...service, addresses }];
        }),
      );
      const targets = closedFlows(past, before);
      if (targets.length === 0) return;
      try {
        await cut(targets);
      } catch (error) {
        // A row that was damaged by hand may name what is no address.
        log.warn({ err: error }, 'open connections of closed services could not be ended');
      }
    },
    works: () => works,
  };
}
