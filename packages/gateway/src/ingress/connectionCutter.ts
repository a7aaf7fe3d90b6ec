import {
  type FormerService,
  type FormerServices,
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

/** What was cut, in which workers, and until when it is cut again. */
type Cut = { targets: readonly ConnectionTarget[]; among: ClosingWorkers; until: number };

/** Ends the connections that closed services left open. */
export type ConnectionCutter = {
  /** To be called when `open` is what nginx serves. A failure is logged; it is no reason to refuse a change. */
  follow(open: OpenServices): Promise<void>;
  /** False when the machine refused it the last time. */
  works(): boolean;
  stop(): void;
};

export function createConnectionCutter(
  openConnections: OpenConnections,
  log: Record<'info' | 'warn', (facts: object, message: string) => void>,
): ConnectionCutter {
  let before: OpenServices | null = null;
  let recorded: string | null = null;
  /** How often something that was closed is yet to be cut. */
  let owed = 0;
  let works = true;
  let stopped = false;
  let late: Cut[] = [];
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

  /**
   * Records what is open once everything else is cut, so that anyone who starts after this gateway, in whatever way it
   * ended, cuts what it has left, and what is closed until then.
   */
  const record = (): void => {
    if (before === null || owed > 0) return;
    const text = writeRecord(before);
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

  return {
    async follow(open) {
      const past: FormerServices = before ?? readRecord(openConnections.recorded()) ?? open;
      // A backend that cannot be found at the moment may still have connections from before, unless it is another node's.
      before = new Map(
        [...open].map(([key, service]) => {
          if (service.addresses.length > 0) return [key, service];
          const kept = keptAddresses(past.get(key)?.addresses ?? [], service);
          const former = { ...service, addresses: kept };
          const addresses = former.addresses.filter((address) =>
            connectionsOf({ ...former, addresses: [address] }).some((target) => !isAnothers(target, former, open)),
          );
          return [key, { ...service, addresses }];
        }),
      );
      const targets = closedConnections(past, before);
      if (targets.length === 0) {
        record();
        return;
      }
      const shared = sharedWith(past, before);
      const isShared = (target: ConnectionTarget): boolean => target.kind === 'backend' && shared.has(placeOf(target));
      const [soon, now] = [targets.filter(isShared), targets.filter((target) => !isShared(target))];
      const among = openConnections.closing();
      const begin = async (some: readonly ConnectionTarget[]): Promise<void> => {
        const one = { targets: some, among, until: Date.now() + LATE_MS };
        late.push(one);
        await cut(one);
        owed -= 1;
        record();
        cutLater();
      };
      for (const some of [soon, now]) if (some.length > 0) owed += 1;
      if (soon.length > 0 && !stopped) {
        const moment = setTimeout(() => {
          waiting.delete(moment);
          void begin(soon);
        }, SHARED_MS);
        waiting.add(moment.unref());
      }
      if (now.length > 0) await begin(now);
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
export function closedConnections(before: FormerServices, after: OpenServices): ConnectionTarget[] {
  return [...before].flatMap(([key, service]) => {
    const now = after.get(key);
    const targets = closedConnectionsOf(service, now);
    // The node that has the network next would get what is open there: it ends, though it may be another's by now.
    if (now !== undefined && hasLeft(service, now)) return targets;
    return targets.length === 0 ? [] : targets.filter((target) => !isAnothers(target, service, after));
  });
}

/** The connections of a service that must end. */
export function closedConnectionsOf(service: FormerService, now: OpenService | undefined): ConnectionTarget[] {
  if (now === undefined || asksForMore(service, now) || hasLeft(service, now)) return connectionsOf(service);
  const blocked = added(service.row.blockedIps, now.row.blockedIps);
  if (isNarrower(service.row.allowedIps, now.row.allowedIps)) return connectionsOf(service);
  // Only the visitors of a TCP port can be told from those of other services.
  return blocked.length === 0 ? [] : connectionsOf(service, blocked.flatMap(asVisited));
}

/** The addresses of a service that are still its node's. */
const keptAddresses = (addresses: readonly string[], { networks }: OpenService): string[] =>
  addresses.filter((address) => networks === null || networks.some((each) => overlaps(each, address)));

const hasLeft = ({ addresses }: FormerService, now: OpenService): boolean =>
  keptAddresses(addresses, now).length < addresses.length;

/**
 * Whether another node has this port, address or network by now. What is open there is that node's: nothing of the
 * former one's gets there any more.
 */
export function isAnothers(
  target: ConnectionTarget,
  { remoteNode = null }: FormerService,
  open: OpenServices,
): boolean {
  if (remoteNode === null) return false;
  const place = placeOf(target);
  return [...open.values()].some(
    (service) =>
      service.remoteNode !== null &&
      service.remoteNode !== remoteNode &&
      connectionsOf(service).some((other) => placeOf(other) === place),
  );
}

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
