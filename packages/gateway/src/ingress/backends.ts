import { BlockList, isIP, isIPv6 } from 'node:net';
import { nameAt, type Resolution } from './backendNames.ts';
import { overlaps } from '../rules/ipNetwork.ts';
import type { TunnelView } from '../tunnel/reconcile.ts';
import type { HttpServiceRow, NodeRow, TcpServiceRow } from '../store/rows.ts';
import type { DesiredTcpService } from './render/desiredState.ts';
import { networkInterfaces } from 'node:os';

/** What has to be known to find a backend. */
export type BackendFacts = {
  /** By host of the gateway's own machine, and by `nameAt` for those behind a node. */
  resolutions: ReadonlyMap<string, Resolution>;
  /** Whether an address is one of this machine. */
  isOwn(address: string): boolean;
  /** The way to remote nodes. */
  tunnel: TunnelView;
};

/** Where a backend is, or why it cannot be reached. */
export type Backend = Resolution & { sourceAddress?: string };

/** @param ownPorts those on which this gateway and its nginx listen, where the backend may not be */
export function findBackend(
  row: HttpServiceRow | TcpServiceRow,
  node: NodeRow | undefined,
  { resolutions, isOwn, tunnel }: BackendFacts,
  ownPorts: ReadonlySet<number>,
): Backend {
  if (node === undefined) return { problem: 'Its node is gone. Delete it, and expose it on another node.' };
  if (typeof node.isLocal !== 'boolean') return { problem: 'The row of its node is damaged. Look at the node.' };
  if (!node.enabled) return { problem: `Its node ${node.name} is disconnected. Connect the node to open the service.` };
  if (!node.isLocal) return remoteBackend(row.backendHost, node, tunnel, resolutions);
  const host = row.backendHost;
  if (typeof host !== 'string')
    return { problem: 'It has no backend host. Give the name or the address of its backend.' };
  const found = resolutions.get(host) ?? { problem: `The name ${host} cannot be resolved.` };
  // A request to nginx would go round until it has no connection left; the API would be open to all under a name or a
  // port that is not the console's.
  if ('addresses' in found && ownPorts.has(row.backendPort) && found.addresses.some(isOwn)) {
    return { problem: leadsBack(row) };
  }
  return found;
}

export const leadsBack = ({ backendPort }: { backendPort: number }): string =>
  `Its backend, port ${backendPort}, leads back to the gateway itself. Give the port of the service.`;

/**
 * Where a service of a node behind the tunnel is: at the node itself, or at a host of a subnet behind it. Both are reached
 * from the tunnel's own address, and so through the tunnel or not at all: elsewhere there may be the same addresses, at
 * this machine, too.
 */
export function remoteBackend(
  backendHost: unknown,
  node: NodeRow,
  tunnel: TunnelView,
  resolutions: BackendFacts['resolutions'],
): Backend {
  // Without the tunnel a packet for the node's address would leave by the wrong way.
  if (!tunnel.status.available) {
    const { reason, fix } = tunnel.status;
    return { problem: `The tunnel is off, so the nodes behind it cannot be reached. ${reason} ${fix}` };
  }
  const subnets = tunnel.subnets.get(node.id);
  if (subnets === undefined) {
    return { problem: `Its node ${node.name} is not in the tunnel. ${tunnel.problems.get(node.id) ?? ''}`.trim() };
  }
  const sourceAddress = tunnel.gateway;
  if (!node.isGateway) return { addresses: [node.address], sourceAddress };
  if (typeof backendHost !== 'string') return { problem: 'It has no backend host. Give the address of its backend.' };
  const leadsTo = `It leads to ${subnets.join(', ') || 'no subnet'}. ${tunnel.problems.get(node.id) ?? ''}`.trim();
  if (isIP(backendHost) === 0) {
    const server = resolverOf(node, subnets);
    if (server === null) {
      return { problem: `The DNS server ${node.resolver} is not behind its node ${node.name}. ${leadsTo}` };
    }
    const found = resolutions.get(nameAt(backendHost, server)) ?? { problem: 'it was not looked up' };
    if ('problem' in found) {
      const check =
        server === node.address ? 'that `sallyport service` keeps that host connected' : 'the DNS server of the node';
      return {
        problem: `The name ${backendHost} has no address behind its node ${node.name}: ${found.problem}. Check the name, and ${check}, or give the address of the backend.`,
      };
    }
    // A node answers for its own networks, and for no other.
    const addresses = found.addresses.filter((address) => isBehind(address, node.address, subnets));
    if (addresses.length > 0) return { addresses, sourceAddress };
    return {
      problem: `The resolver of its node ${node.name}${server === node.address ? '' : `, ${server},`} says that ${backendHost} is ${found.addresses.join(', ')}, which is not behind that node. ${leadsTo}`,
    };
  }
  if (!isBehind(backendHost, node.address, subnets))
    return { problem: `${backendHost} is not behind its node ${node.name}. ${leadsTo}` };
  return { addresses: [backendHost], sourceAddress };
}

/**
 * The DNS server that knows the names behind a gateway node: the node itself, or one of its networks; null: what is stored
 * is in none of those that it leads to now.
 */
export function resolverOf({ address, resolver }: NodeRow, subnets: readonly string[]): string | null {
  const server = resolver ?? address;
  return isBehind(server, address, subnets) ? server : null;
}

const isBehind = (wanted: string, address: string, subnets: readonly string[]): boolean =>
  wanted === address || subnets.some((subnet) => overlaps(subnet, wanted));

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

/** Tells the addresses under which this machine reaches itself, as they are now. */
export function ownAddresses(interfaces = networkInterfaces()): (address: string) => boolean {
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8, 'ipv4');
  own.addAddress('0.0.0.0', 'ipv4');
  own.addAddress('::1', 'ipv6');
  own.addAddress('::', 'ipv6');
  for (const { address, family } of Object.values(interfaces).flatMap((all) => all ?? [])) {
    own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return (address) => own.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
