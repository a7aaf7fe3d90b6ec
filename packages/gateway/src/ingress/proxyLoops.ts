import type { DesiredTcpService } from './render/desiredState.ts';

type Link = Pick<DesiredTcpService, 'id' | 'port' | 'proto' | 'backendPort' | 'addresses'>;

/**
 * The services whose backends are each other's public ports, so that a connection to one would go round until nginx has
 * none left. One that only leads to another service, and so out again, is none of them.
 * @param services those that are open
 * @param isOwn whether an address is one of this machine
 */
export function proxyLoopsIn(services: readonly Link[], isOwn: (address: string) => boolean): Set<number> {
  const key = (proto: string, port: number): string => `${proto} ${port}`;
  const byPort = new Map(services.map((service) => [key(service.proto, service.port), service]));
  const nextOf = ({ proto, backendPort, addresses }: Link): Link | undefined => {
    const next = byPort.get(key(proto, backendPort));
    return next !== undefined && addresses.some(isOwn) ? next : undefined;
  };
  const found = new Set<number>();
  const seen = new Set<number>();
  for (const first of services) {
    const way: Link[] = [];
    let at: Link | undefined = first;
    while (at !== undefined && !seen.has(at.id)) {
      seen.add(at.id);
      way.push(at);
      at = nextOf(at);
    }
    // Back on this very way: from there on it is a circle.
    const from = at === undefined ? -1 : way.indexOf(at);
    if (from >= 0) for (const { id } of way.slice(from)) found.add(id);
  }
  return found;
}
