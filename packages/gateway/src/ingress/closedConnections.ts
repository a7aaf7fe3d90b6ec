import { isIP } from 'node:net';
import { attempt } from '../rules/attempt.ts';
import { network } from './render/text.ts';
import type { FormerService, FormerServices, OpenService, OpenServices } from './openServices.ts';
import type { ConnectionTarget } from './nginx/openConnections.ts';

/**
 * The open connections that must end now that `after` is served: those of services that were closed, and of visitors
 * that a service does not let in any more. A service that moved to another backend, or cannot be served for a reason
 * that is not its administrator's will, keeps what it has.
 */
export function closedConnections(before: FormerServices, after: OpenServices): ConnectionTarget[] {
  return [...before].flatMap(([key, service]) => {
    const targets = closedConnectionsOf(service, after.get(key));
    return targets.length === 0 ? [] : targets.filter((target) => !isAnothers(target, service, after));
  });
}

/** The connections of a service that must end. */
export function closedConnectionsOf(service: FormerService, now: OpenService | undefined): ConnectionTarget[] {
  if (now === undefined || asksForMore(service, now)) return connectionsOf(service);
  const blocked = added(service.row.blockedIps, now.row.blockedIps);
  if (isNarrower(service.row.allowedIps, now.row.allowedIps)) return connectionsOf(service);
  // Only the visitors of a TCP port can be told from those of other services.
  return blocked.length === 0 ? [] : connectionsOf(service, blocked.flatMap(asVisited));
}

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

/** Whether somebody who was let in may not come in any more. No list and an empty one are everybody. */
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

/** A blocked entry as visitors come from it; a damaged one is nobody, and must not keep others from being cut. */
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
