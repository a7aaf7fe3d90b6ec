import { isIP } from 'node:net';
import {
  type FormerService,
  type FormerServices,
  networksOf,
  type OpenService,
  type OpenServices,
} from './openServices.ts';
import type { NodeRow } from '../store/rows.ts';
import type { ConnectionTarget } from './nginx/openConnections.ts';
import { attempt } from '../rules/attempt.ts';
import { network } from './render/configText.ts';
import { addressFinder } from '../rules/ipNetwork.ts';

// Which open connections must end when other services are served than before; nothing here knows of processes or time.

/** The backends of the services that keep what they have open. */
export function sharedWith(before: FormerServices, after: OpenServices): Set<string> {
  const untouched = [...after].filter(([key]) => {
    const past = before.get(key);
    return past === undefined || closedConnectionsOf(past, after.get(key)).length === 0;
  });
  return new Set(untouched.flatMap(([, service]) => connectionsOf(service).map(placeOf)));
}

/**
 * The open connections of a service that must end once it is `now` so: all when it was closed, and those of visitors whom it
 * does not let in any more. A service that moved to another backend, or cannot be served for a reason that is not its
 * administrator's will, keeps what it has, unless its node has lost the network where that leads.
 */
export function closedConnectionsOf(service: FormerService, now: OpenService | undefined): ConnectionTarget[] {
  if (now === undefined || asksForMore(service, now) || hasLeft(service, now)) return connectionsOf(service);
  const blocked = added(service.row.blockedIps, now.row.blockedIps);
  if (isNarrower(service.row.allowedIps, now.row.allowedIps)) return connectionsOf(service);
  // Only the visitors of a TCP port can be told from those of other services.
  return blocked.length === 0 ? [] : connectionsOf(service, blocked.flatMap(asVisited));
}

/** Which of these addresses are in none of the networks. */
export function outside(addresses: readonly string[], networks: readonly string[]): string[] {
  const inside = new Set(networks.flatMap(addressFinder(addresses)));
  return addresses.filter((address) => !inside.has(address));
}

/** The addresses of a service that are still its node's. */
const keptAddresses = (addresses: readonly string[], { networks }: OpenService): string[] => {
  const left = networks === null ? [] : outside(addresses, networks);
  return addresses.filter((address) => !left.includes(address));
};

export const hasLeft = ({ addresses }: FormerService, { networks }: OpenService): boolean =>
  networks !== null && outside(addresses, networks).length > 0;

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
function connectionsOf(
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

/** A backend that cannot be found at the moment may still have connections from before. */
export const withFormerAddresses = (open: OpenServices, past: FormerServices): OpenServices =>
  new Map(
    [...open].map(([key, service]) => [
      key,
      service.addresses.length > 0
        ? service
        : { ...service, addresses: keptAddresses(past.get(key)?.addresses ?? [], service) },
    ]),
  );

/** Whether all connections of a service lead where they did. */
export const isSamePlace = (before: FormerService | undefined, now: FormerService | undefined): boolean =>
  before !== undefined &&
  now !== undefined &&
  before.publicPort === now.publicPort &&
  before.proto === now.proto &&
  before.row.backendPort === now.row.backendPort &&
  before.remoteNode === now.remoteNode &&
  before.addresses.length === now.addresses.length &&
  before.addresses.every((address, index) => address === now.addresses[index]);

/** The addresses and networks that nodes had and do not have any more. */
export function leftByNodes(before: readonly NodeRow[], now: readonly NodeRow[]): string[] {
  const kept = new Map(now.map((node) => [node.id, networksOf(node)]));
  const remote = before.filter(({ isLocal }) => !isLocal);
  return remote.flatMap((node) => networksOf(node).filter((each) => !kept.get(node.id)?.includes(each)));
}
