import {
  closedConnectionsOf,
  hasLeft,
  isSamePlace,
  leftByNodes,
  outside,
  placeOf,
  sharedWith,
  withFormerAddresses,
} from './closedConnections.ts';
import { keyOf, networksOf, type OpenServices, type Place, readRecord, writeRecord } from './openServices.ts';
import type { ObjectKey } from '../rules/attempt.ts';
import type { ClosingWorkers, ConnectionTarget, OpenConnections } from './nginx/openConnections.ts';
import type { NodeRow } from '../store/rows.ts';

/**
 * A visitor may have connected before a service was closed, or closed to them, and say only then what they want: nginx's
 * old worker still waits for that, as long as its `client_header_timeout` and `keepalive_time` let it. So it is looked at
 * again for a while.
 */
const AGAIN_MS = 1000;
const LATE_MS = 65_000;
/**
 * What leads to a backend that another service has as well may be a request of that one, which is answered in a moment,
 * on a busy machine in half a second; a closed service's connections end within a second all the same.
 */
const SHARED_MS = 700;

/** What is to be cut, in which workers. */
type Cut = { targets: readonly ConnectionTarget[]; among: ClosingWorkers };

/** `isClosed`: nothing is to be cut there, or everything was already. */
type KnownPlace = Place & { isClosed?: true };

/** Ends the connections that closed services left open. */
export type ConnectionCutter = {
  /** To be called when `open` is what nginx is about to serve: it is noted for anyone who starts after a gateway that was killed. */
  prepare(open: OpenServices): void;
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
  /** Where services are and were, as long as workers know them there; null: nothing is known yet. */
  let places: readonly KnownPlace[] | null = readRecord(openConnections.recorded(), openConnections.boot());
  /** What is recorded. */
  let noted: readonly Place[] = places ?? [];
  let recorded: string | null = null;
  /** The nodes of what nginx serves next, or already does. */
  let begun: readonly NodeRow[] = [];
  /** Workers that were started later know what was prepared; null: nothing was since nginx was told. */
  let since: number | null = null;
  /** How often something that was closed is yet to be cut. */
  let owed = 0;
  let works = true;
  let stopped = false;
  let late: (Cut & { until: number })[] = [];
  let timer: NodeJS.Timeout | null = null;
  const waiting = new Set<NodeJS.Timeout>();

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

  const note = (what: readonly Place[]): void => {
    noted = what;
    const text = writeRecord(what, openConnections.boot());
    if (text !== recorded) openConnections.record(text);
    recorded = text;
  };

  /**
   * Records what is open once everything else is cut, so that anyone who starts after this gateway, in whatever way it
   * ended, cuts what it has left, and what is closed until then.
   */
  const record = (): void => {
    if (places !== null && owed === 0) note(places);
  };

  const cutLate = async (): Promise<void> => {
    const closing = new Set(openConnections.closing().map(({ pid }) => pid));
    // Of workers that have gone nothing is left.
    late = late.filter(({ until, among }) => until >= Date.now() && among.some(({ pid }) => closing.has(pid)));
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
    if (places?.some(({ to }) => to !== null)) {
      const closing = openConnections.closing();
      places = places.filter((place) => place.to === null || workersOf(place, closing).length > 0);
    }
    const led = new Map<number, Set<string>>();
    for (const { service } of places ?? []) {
      if (typeof service.remoteNode !== 'number' || service.remoteNode === asking) continue;
      const addresses = led.get(service.remoteNode) ?? new Set();
      for (const address of service.addresses) addresses.add(address);
      led.set(service.remoteNode, addresses);
    }
    const networks = new Map(nodes.map((node) => [node.id, networksOf(node)]));
    return [...new Set([...led].flatMap(([id, addresses]) => outside([...addresses], networks.get(id) ?? [])))];
  }

  /** What is to be cut once `now` is served, the same workers together. */
  function cutsOf(known: readonly KnownPlace[], now: OpenServices): Cut[] {
    const cuts = new Map<string, { targets: ConnectionTarget[]; among: ClosingWorkers }>();
    let closing: ClosingWorkers | null = null;
    for (const place of known) {
      const targets = place.isClosed ? [] : closedConnectionsOf(place.service, now.get(keyOf(place.service)));
      if (targets.length === 0) continue;
      const among = workersOf(place, (closing ??= openConnections.closing()));
      const workers = among.map(({ pid }) => pid).join();
      const others = cuts.get(workers);
      if (others === undefined) cuts.set(workers, { targets, among });
      else others.targets.push(...targets);
    }
    return [...cuts.values()];
  }

  return {
    prepare(open) {
      // Those of an earlier one that was refused may yet come: nginx may come round to it.
      since ??= openConnections.nextStart();
      if (places === null) return;
      const served = new Map(noted.flatMap(({ service, to }) => (to === null ? [[keyOf(service), service]] : [])));
      const coming = [...withFormerAddresses(open, served).values()];
      const from = since;
      const added = coming
        .filter((service) => !isSamePlace(served.get(keyOf(service)), service))
        .map((service): KnownPlace => ({ service, from, to: null, isClosed: true }));
      if (added.length === 0) return;
      places = [...places, ...added];
      note([...noted, ...added]);
    },
    async follow(open) {
      const known: readonly KnownPlace[] =
        places ?? [...open.values()].map((service) => ({ service, from: 0, to: null }));
      const served = new Map<ObjectKey, Place>();
      // Of what a gateway that was killed has noted of one service the first was certainly served.
      for (const place of known.toReversed()) {
        if (place.to === null && !place.isClosed) served.set(keyOf(place.service), place);
      }
      const past = new Map([...served].map(([key, { service }]) => [key, service]));
      const now = withFormerAddresses(open, past);
      const isThere = ({ service, to }: Place): boolean => to === null && isSamePlace(service, now.get(keyOf(service)));
      const firstFrom = new Map<ObjectKey, number>();
      for (const place of known.filter(isThere)) {
        const key = keyOf(place.service);
        firstFrom.set(key, Math.min(place.from, firstFrom.get(key) ?? place.from));
      }
      const until = since ?? openConnections.nextStart();
      since = null;
      const cuts = cutsOf(known, now);
      const former = known.filter((place) => !isThere(place)).map((place) => formerPlace(place, until, now));
      places = [
        ...[...now].map(([key, service]): Place => ({ service, from: firstFrom.get(key) ?? until, to: null })),
        ...merged(former),
      ];
      const shared = cuts.length > 0 ? sharedWith(past, now) : new Set<string>();
      const isShared = (target: ConnectionTarget): boolean => target.kind === 'backend' && shared.has(placeOf(target));
      const pick = (which: (target: ConnectionTarget) => boolean): Cut[] =>
        cuts.flatMap(({ targets, among }) => {
          const picked = targets.filter(which);
          return picked.length === 0 ? [] : [{ targets: picked, among }];
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
      const leading = (places ?? []).filter(({ service }) =>
        service.addresses.some((each) => addresses.includes(each)),
      );
      const closing = openConnections.closing();
      const workers = closing.filter((worker) => leading.some((place) => workersOf(place, [worker]).length > 0));
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

/** The workers that know a service at a place. */
const workersOf = ({ from, to }: Place, workers: ClosingWorkers): ClosingWorkers =>
  workers.filter(({ startTime }) => Number(startTime) >= from && (to === null || Number(startTime) < to));

/** A place that nginx does not serve any more; what is compared with the next change are the visitors of today. */
function formerPlace(place: KnownPlace, until: number, now: OpenServices): KnownPlace {
  const former = { ...place, to: place.to ?? until };
  const open = now.get(keyOf(place.service));
  if (open === undefined || hasLeft(place.service, open)) return { ...former, isClosed: true };
  const { row, visitors } = open;
  const { backendPort } = place.service.row;
  return { ...former, service: { ...place.service, visitors, row: { ...row, backendPort } } };
}

/** Places at which nothing is to be cut, those of a service that came and went again and again as one. */
function merged(former: readonly KnownPlace[]): KnownPlace[] {
  const open = former.filter(({ isClosed }) => !isClosed);
  const closed = new Map<string, KnownPlace>();
  for (const place of former.filter(({ isClosed }) => isClosed)) {
    const { service, from, to } = place;
    const key = [keyOf(service), service.publicPort, service.remoteNode, service.row.backendPort, ...service.addresses];
    const other = closed.get(key.join(' ')) ?? place;
    const times = { from: Math.min(from, other.from), to: Math.max(to ?? 0, other.to ?? 0) };
    closed.set(key.join(' '), { ...place, ...times });
  }
  return [...open, ...closed.values()];
}
