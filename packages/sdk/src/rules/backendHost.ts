import { parseNetwork } from '../contract/field.ts';
import { message } from '../contract/message.ts';
import type { Node } from '../contract/node.ts';
import type { Problem } from '../contract/problem.ts';
import { isLoopbackHost } from './loopback.ts';

/** A gateway or local node reaches several hosts, so the backend's must be named; a plain node is its own backend. */
export const backendHostRequired = (node: Pick<Node, 'isGateway' | 'isLocal'>): boolean =>
  node.isGateway || node.isLocal;

/** What of a node its services' backend hosts depend on. */
export type BackendHostNode = Pick<Node, 'isGateway' | 'isLocal' | 'address' | 'gatewayNetworks'>;

/** What is wrong with a service's backend host, given its node; null when nothing is. */
export function backendHostProblem(node: BackendHostNode, backendHost: string | null | undefined): Problem | null {
  const problem = (text: string): Problem => ({ field: 'backendHost', message: text });
  if (!backendHostRequired(node)) {
    return backendHost ? problem('A backend host can be given only for a gateway or the local node') : null;
  }
  if (!backendHost) return problem(message.required);
  if (node.isLocal) return null;
  const reason = unreachableBehind(node, backendHost);
  return reason === null ? null : problem(reason);
}

/**
 * Why a gateway node does not lead to a host, in a sentence; null when it does, or when only the node's network can tell,
 * which knows its names. The tunnel carries packets for the node and the subnets behind it alone.
 */
export function unreachableBehind(
  { address, gatewayNetworks }: Pick<Node, 'address' | 'gatewayNetworks'>,
  host: string,
): string | null {
  const subnets = (Array.isArray(gatewayNetworks) ? gatewayNetworks : []).map(({ subnet }) => subnet);
  if (host === address || subnets.some((subnet) => networksOverlap(subnet, host))) return null;
  const choice = `Give an IPv4 address within ${subnets.join(' or ') || 'its subnet'}, or ${address} for the node itself.`;
  if (ipv4Range(host) !== null) return `${host} is not behind this gateway node. ${choice}`;
  if (host.includes(':')) return `The tunnel carries IPv4 alone. ${choice}`;
  return isLoopbackHost(host) ? `${host} is each machine itself. ${choice}` : null;
}

/** The first and the last address, as numbers. */
export type Ipv4Range = { first: number; last: number };

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/** The addresses of an IPv4 network, or the one of an IPv4 address; null when it is neither. */
export function ipv4Range(network: string): Ipv4Range | null {
  const parsed = parseNetwork(network);
  if (parsed === null || parsed.family !== 4) return null;
  const size = 2 ** (32 - (parsed.prefix ?? 32));
  const first = Math.floor(toNumber(parsed.address) / size) * size;
  return { first, last: first + size - 1 };
}

/** An IPv4 address of which the number is known. */
export const ipv4Text = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** Whether two IPv4 networks or addresses have an address in common; of IPv6 it is not said. */
export function networksOverlap(one: string, other: string): boolean {
  const [left, right] = [ipv4Range(one), ipv4Range(other)];
  return left !== null && right !== null && left.first <= right.last && right.first <= left.last;
}
