import { closedFlows, flowsOf } from './closedFlows.ts';
import type { ObjectKey } from './objectKey.ts';
import { formerServices, leadingElsewhere, type OpenService, type OpenServices } from './openServices.ts';
import type { Desired } from '../store/store.ts';
import type { Flows } from '../system/flows.ts';

/**
 * A visitor may have connected before a service was closed and say only then what they want: nginx's old worker still
 * waits for that, as long as its `client_header_timeout` lets it. So closed services are looked at again for a while.
 */
const AGAIN_MS = 1000;
const LATE_MS = 35_000;

/** Ends the connections that closed services left open. */
export type FlowCutter = {
  /** To be called when `open` is what nginx serves. A failure is logged; it is no reason to refuse a change. */
  follow(desired: Desired, open: OpenServices): Promise<void>;
  /** False when the machine refused it the last time. */
  works(): boolean;
  stop(): void;
};

export function createFlowCutter(
  flows: Flows,
  log: Record<'info' | 'warn', (facts: object, message: string) => void>,
): FlowCutter {
  let before: OpenServices | null = null;
  let works = true;
  /** Services that were closed a short time ago, and until when they are looked at. */
  const late = new Map<ObjectKey, { service: OpenService; until: number }>();
  let timer: NodeJS.Timeout | null = null;

  const cut = async (targets: Parameters<Flows['cut']>[0]): Promise<void> => {
    const ended = await flows.cut(targets);
    works = ended !== null;
    if (ended === null) log.warn({}, 'open connections of closed services could not be ended');
    else if (ended > 0) log.info({ ended }, 'open connections of closed services were ended');
  };

  /** A row that was damaged by hand may name what is no address. */
  const cutCarefully = (targets: Parameters<Flows['cut']>[0]): Promise<void> =>
    cut(targets).catch((error: unknown) => {
      log.warn({ err: error }, 'open connections of closed services could not be ended');
    });

  const cutLate = async (): Promise<void> => {
    const now = Date.now();
    for (const [key, { until }] of late) if (until < now) late.delete(key);
    const closed = [...late.values()].map(({ service }) => service);
    await cutCarefully(leadingElsewhere(closed, before ?? new Map()).flatMap((service) => flowsOf(service)));
    timer = null;
    cutLater();
  };

  function cutLater(): void {
    if (late.size === 0 || !works || timer !== null) return;
    timer = setTimeout(() => void cutLate(), AGAIN_MS);
    timer.unref();
  }

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
      for (const key of open.keys()) late.delete(key);
      for (const [key, service] of past) {
        if (!open.has(key)) late.set(key, { service, until: Date.now() + LATE_MS });
      }
      const targets = closedFlows(past, before);
      if (targets.length > 0) await cutCarefully(targets);
      cutLater();
    },
    works: () => works,
    stop() {
      late.clear();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
