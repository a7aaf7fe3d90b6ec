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
import { isIP } from 'node:net';
import { attempt } from '../rules/attempt.ts';
import { network } from './render/configText.ts';
import { overlaps } from '../rules/ipNetwork.ts';
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
   * Addresses to which nginx may still connect for a node that does not have them any more: in old workers there may be
   * open connections, and requests that have only begun. No other node may be reached there until they are ended.
   */
  leftBehind(nodes: readonly NodeRow[]): string[];
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
    leftBehind(nodes) {
      if (formerPlaces.length > 0) {
        const alive = openConnections.closing();
        formerPlaces = formerPlaces.filter(({ workers }) => [...workers].some((worker) => alive.has(worker)));
      }
      const networks = new Map(nodes.map((node) => [node.id, networksOf(node)]));
      const led = [...(current?.values() ?? []), ...formerPlaces.map(({ service }) => service)];
      const left = led.flatMap(({ remoteNode, addresses }) =>
        typeof remoteNode === 'number' ? addresses.filter((each) => !isOf(networks.get(remoteNode) ?? [], each)) : [],
      );
      return [...new Set(left)];
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

/** A backend that cannot be found at the moment may still have connections from before. */
const withFormerAddresses = (open: OpenServices, past: FormerServices): OpenServices =>
  new Map(
    [...open].map(([key, service]) => [
      key,
      service.addresses.length > 0
        ? service
        : { ...service, addresses: keptAddresses(past.get(key)?.addresses ?? [], service) },
    ]),
  );

/** Whether all connections of a service lead where they did. */
const isSamePlace = (before: FormerService, now: OpenService | undefined): boolean =>
  now !== undefined &&
  before.publicPort === now.publicPort &&
  before.proto === now.proto &&
  before.row.backendPort === now.row.backendPort &&
  before.remoteNode === now.remoteNode &&
  before.addresses.length === now.addresses.length &&
  before.addresses.every((address, index) => address === now.addresses[index]);

/** A former place once `now` is served: what is compared with the next change are the visitors of today. */
function judged(place: FormerPlace, now: OpenService | undefined): FormerPlace {
  if (now === undefined || hasLeft(place.service, now)) return { ...place, closed: true };
  const { row, visitors } = now;
  const { backendPort } = place.service.row;
  return { ...place, service: { ...place.service, visitors, row: { ...row, backendPort } } };
}

/** The backends of the services that keep what they have open. */
function sharedWith(before: FormerServices, after: OpenServices): Set<string> {
  const untouched = [...after].filter(([key]) => {
    const past = before.get(key);
    return past === undefined || closedConnectionsOf(past, after.get(key)).length === 0;
  });
  return new Set(untouched.flatMap(([, service]) => connectionsOf(service).map(placeOf)));
}

/**
 * The open connections that must end now that `after` is served: those of services that were closed, and of visitors
 * that a service does not let in any more. A service that moved to another backend, or cannot be served for a reason
 * that is not its administrator's will, keeps what it has, unless its node has lost the network where that leads.
 */
export const closedConnections = (before: FormerServices, after: OpenServices): ConnectionTarget[] =>
  [...before].flatMap(([key, service]) => closedConnectionsOf(service, after.get(key)));

/** The connections of a service that must end. */
export function closedConnectionsOf(service: FormerService, now: OpenService | undefined): ConnectionTarget[] {
  if (now === undefined || asksForMore(service, now) || hasLeft(service, now)) return connectionsOf(service);
  const blocked = added(service.row.blockedIps, now.row.blockedIps);
  if (isNarrower(service.row.allowedIps, now.row.allowedIps)) return connectionsOf(service);
  // Only the visitors of a TCP port can be told from those of other services.
  return blocked.length === 0 ? [] : connectionsOf(service, blocked.flatMap(asVisited));
}

const isOf = (networks: readonly string[], address: string): boolean =>
  networks.some((each) => each === address || overlaps(each, address));

/** The addresses of a service that are still its node's. */
const keptAddresses = (addresses: readonly string[], { networks }: OpenService): string[] =>
  addresses.filter((address) => networks === null || isOf(networks, address));

const hasLeft = ({ addresses }: FormerService, now: OpenService): boolean =>
  keptAddresses(addresses, now).length < addresses.length;

/** What open connections are found by: services with the same place cannot be told apart. */
export const placeOf = (target: ConnectionTarget): string =>
  target.kind === 'public'
    ? `port ${target.port}`
    : [target.protocol, target.address, target.port, target.through ?? ''].join(' ');

/** Whether a visitor may have a connection open for which they would have to sign in now, or could not. */
function asksForMore(before: FormerService, now: FormerService): boolean {
  if (now.visitors === 'everybody' || before.visitors === 'nobody') return false;
  if (now.visitors === 'nobody' || before.visitors === 'everybody') return true;
  // A damaged list may hold anything.
  const folded = (emails: readonly unknown[] | null): string[] | null =>
    emails?.map((email) => String(email).toLowerCase()) ?? null;
  const routes = ({ row }: FormerService): string[] =>
    (typeof row.skipAuthRoutes === 'string' ? row.skipAuthRoutes.split('\n') : []).filter((line) => line !== '');
  return (
    isNarrower(folded(before.visitors.emails), folded(now.visitors.emails)) ||
    added(routes(now), routes(before)).length > 0
  );
}

/** Whether someone who was let in may not come in any more. No list and an empty one are everybody. */
function isNarrower(before: readonly string[] | null, now: readonly string[] | null): boolean {
  if (now === null || now.length === 0) return false;
  return before === null || before.length === 0 || added(now, before).length > 0;
}

/** The entries of `now` that `before` has not. Null is an empty list; a damaged one is none. */
function added(before: readonly string[] | null, now: readonly string[] | null): string[] {
  if (!Array.isArray(now)) return [];
  const known = new Set(Array.isArray(before) ? before : []);
  return now.filter((entry) => !known.has(entry));
}

/** A blocked entry as visitors come from it; a damaged one is no one, and must not keep others from being cut. */
function asVisited(entry: string): string[] {
  const spelled = attempt(
    () => network(entry),
    () => undefined,
  );
  return spelled === null ? [] : [spelled];
}

/**
 * The connections through a service.
 * @param clients only these visitors, where they can be told from others
 */
export function connectionsOf(
  { publicPort, proto, addresses, remoteNode, row }: FormerService,
  clients?: readonly string[],
): ConnectionTarget[] {
  if (publicPort !== null && proto === 'tcp') {
    return [{ kind: 'public', port: publicPort, ...(clients !== undefined && { clients }) }];
  }
  const protocol = proto === 'udp' ? 'udp' : 'tcp';
  const through = remoteNode === undefined ? {} : ({ through: remoteNode === null ? 'machine' : 'tunnel' } as const);
  return addresses.flatMap((address): ConnectionTarget[] =>
    isIP(address) === 0 ? [] : [{ kind: 'backend', protocol, address, port: row.backendPort, ...through }],
  );
}
