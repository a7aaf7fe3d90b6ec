import {
  closedConnections,
  closedConnectionsOf,
  hasLeft,
  isOf,
  isSamePlace,
  leftByNodes,
  placeOf,
  sharedWith,
  withFormerAddresses,
} from './closedConnections.ts';
import {
  type FormerService,
  type FormerServices,
  keyOf,
  networksOf,
  type OpenService,
  type OpenServices,
  readRecord,
  writeRecord,
} from './openServices.ts';
import type { ClosingWorkers, ConnectionTarget, OpenConnections } from './nginx/openConnections.ts';
import type { NodeRow } from '../store/rows.ts';

/**
 * A visitor may have connected before a service was closed, or closed to them, and say only then what they want: nginx's
 * old worker still waits for that, as long as its `client_header_timeout` lets it. So it is looked at again for a while.
 */
const AGAIN_MS = 1000;
const LATE_MS = 35_000;
/**
 * What leads to a backend that another service has as well may be a request of that one, which is answered in a moment,
 * on a busy machine in half a second; a closed service's connections end within a second all the same.
 */
const SHARED_MS = 700;

/** What is to be cut, in which workers. */
type Cut = { targets: readonly ConnectionTarget[]; among: ClosingWorkers };

/** What a service was before it moved or closed, and the workers of nginx that still know it so. */
type FormerPlace = {
  service: FormerService;
  workers: ClosingWorkers;
  /** Everything that it had open was cut already. */
  closed: boolean;
};

/** Ends the connections that closed services left open. */
export type ConnectionCutter = {
  /** To be called when `open` is what nginx serves. A failure is logged; it is no reason to refuse a change. */
  follow(open: OpenServices): Promise<void>;
  /**
   * To be called with the nodes of what nginx is to serve next. Returns the addresses to which it may still connect for a
   * node that does not have them any more: in old workers there may be open connections, and requests that have only begun.
   * No other node may be reached there until they are ended.
   */
  begin(nodes: readonly NodeRow[]): string[];
  /**
   * The same at any moment, for a node that wants to have them, and what others have lost since what nginx is being given
   * was read: it may connect there soon. @param asking the number of that node; null: it is new
   */
  leftBehind(nodes: readonly NodeRow[], asking: number | null): string[];
  /**
   * Ends the old workers of nginx that may connect to these addresses, with all that other services have open in them.
   * Requests that have only begun cannot be told from others, and whatever they are they wait there.
   * @returns whether all of them are gone
   */
  endWorkersTo(addresses: readonly string[]): Promise<boolean>;
  /** False when the machine refused it the last time. */
  works(): boolean;
  stop(): void;
};

export function createConnectionCutter(
  openConnections: OpenConnections,
  log: Record<'info' | 'warn', (facts: object, message: string) => void>,
): ConnectionCutter {
  const recordedServices = readRecord(openConnections.recorded());
  /** What nginx serves. */
  let current: FormerServices | null = recordedServices?.current ?? null;
  let formerPlaces: FormerPlace[] = [];
  /** The nodes of what nginx serves next, or already does. */
  let begun: readonly NodeRow[] = [];
  let recorded: string | null = null;
  /** How often something that was closed is yet to be cut. */
  let owed = 0;
  let works = true;
  let stopped = false;
  let late: (Cut & { until: number })[] = [];
  let timer: NodeJS.Timeout | null = null;
  const waiting = new Set<NodeJS.Timeout>();
  if (recordedServices !== null && recordedServices.former.length > 0) {
    const workers = openConnections.closing();
    formerPlaces = recordedServices.former.map((service) => ({ service, workers, closed: false }));
  }

  const cut = async ({ targets, among }: Cut): Promise<void> => {
    try {
      const ended = await openConnections.cut(targets, among);
      works = ended !== null;
      if (ended === null) log.warn({}, 'open connections of closed services could not be ended');
      else if (ended > 0) log.info({ ended }, 'open connections of closed services were ended');
    } catch (error) {
      // A row that was damaged by hand may name what is no address.
      log.warn({ err: error }, 'open connections of closed services could not be ended');
    }
  };

  /**
   * Records what is open once everything else is cut, so that anyone who starts after this gateway, in whatever way it
   * ended, cuts what it has left, and what is closed until then.
   */
  const record = (): void => {
    if (current === null || owed > 0) return;
    const text = writeRecord([...current.values(), ...formerPlaces.map(({ service }) => service)]);
    if (text !== recorded) openConnections.record(text);
    recorded = text;
  };

  const cutLate = async (): Promise<void> => {
    late = late.filter(({ until }) => until >= Date.now());
    for (const one of late) await cut(one);
    timer = null;
    cutLater();
  };

  function cutLater(): void {
    if (late.length === 0 || !works || timer !== null || stopped) return;
    timer = setTimeout(() => void cutLate(), AGAIN_MS);
    timer.unref();
  }

  /** Now, and again for a while. */
  const begin = async (cuts: readonly Cut[]): Promise<void> => {
    for (const one of cuts) {
      late.push({ ...one, until: Date.now() + LATE_MS });
      await cut(one);
      owed -= 1;
    }
    record();
    cutLater();
  };

  function leftBehind(nodes: readonly NodeRow[], asking: number | null): string[] {
    if (formerPlaces.length > 0) {
      const alive = openConnections.closing();
      formerPlaces = formerPlaces.filter(({ workers }) => [...workers].some((worker) => alive.has(worker)));
    }
    const networks = new Map(nodes.map((node) => [node.id, networksOf(node)]));
    const led = [...(current?.values() ?? []), ...formerPlaces.map(({ service }) => service)];
    const left = led.flatMap(({ remoteNode, addresses }) =>
      typeof remoteNode === 'number' && remoteNode !== asking
        ? addresses.filter((each) => !isOf(networks.get(remoteNode) ?? [], each))
        : [],
    );
    return [...new Set(left)];
  }

  return {
    async follow(open) {
      const past: FormerServices = current ?? open;
      const now = withFormerAddresses(open, past);
      current = now;
      const moved = [...past.values()].filter((service) => !isSamePlace(service, now.get(keyOf(service))));
      const changed = closedConnections(past, now);
      const among = moved.length + changed.length > 0 ? openConnections.closing() : new Set<string>();
      const cuts: Cut[] = [
        { targets: changed, among },
        ...formerPlaces.flatMap(({ service, workers, closed }) =>
          closed ? [] : [{ targets: closedConnectionsOf(service, now.get(keyOf(service))), among: workers }],
        ),
      ];
      const places = moved.map((service) => ({ service, workers: among, closed: false }));
      formerPlaces = [...formerPlaces, ...places].map((place) => judged(place, now.get(keyOf(place.service))));
      const shared = cuts.some(({ targets }) => targets.length > 0) ? sharedWith(past, now) : new Set<string>();
      const isShared = (target: ConnectionTarget): boolean => target.kind === 'backend' && shared.has(placeOf(target));
      const pick = (which: (target: ConnectionTarget) => boolean): Cut[] =>
        cuts.flatMap((one) => {
          const targets = one.targets.filter(which);
          return targets.length === 0 ? [] : [{ ...one, targets }];
        });
      const [soon, atOnce] = [pick(isShared), pick((target) => !isShared(target))];
      owed += soon.length + atOnce.length;
      if (soon.length > 0 && !stopped) {
        const moment = setTimeout(() => {
          waiting.delete(moment);
          void begin(soon);
        }, SHARED_MS);
        waiting.add(moment.unref());
      }
      await begin(atOnce);
    },
    begin(nodes) {
      begun = nodes;
      return leftBehind(nodes, null);
    },
    leftBehind(nodes, asking) {
      const others = begun.filter(({ id }) => id !== asking);
      return [...leftBehind(nodes, asking), ...leftByNodes(others, nodes)];
    },
    async endWorkersTo(addresses) {
      const leading = formerPlaces.filter(({ service }) => service.addresses.some((each) => addresses.includes(each)));
      const workers = new Set<string>();
      for (const place of leading) for (const worker of place.workers) workers.add(worker);
      log.info({ addresses }, 'old workers of nginx are ended, as their addresses go to another node');
      const gone = await openConnections.endWorkers(workers);
      if (!gone) log.warn({ addresses }, 'old workers of nginx could not be ended');
      return gone;
    },
    works: () => works,
    stop() {
      // The generation under way may still close services; what they left open is ended once, or by anyone who starts next.
      stopped = true;
      late = [];
      if (timer !== null) clearTimeout(timer);
      for (const moment of waiting) clearTimeout(moment);
      waiting.clear();
    },
  };
}

/** A former place once `now` is served: what is compared with the next change are the visitors of today. */
function judged(place: FormerPlace, now: OpenService | undefined): FormerPlace {
  if (now === undefined || hasLeft(place.service, now)) return { ...place, closed: true };
  const { row, visitors } = now;
  const { backendPort } = place.service.row;
  return { ...place, service: { ...place.service, visitors, row: { ...row, backendPort } } };
}
