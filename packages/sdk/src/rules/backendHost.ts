import { message } from '../contract/message.ts';
import type { Node } from '../contract/node.ts';
import type { Problem } from '../contract/problem.ts';
import { ipv4Range, networksOverlap } from './ipv4Range.ts';

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
 * Why a gateway node does not lead to a host, in a sentence; null when it does. The tunnel carries packets for the node
 * and the subnets behind it alone, and only there are the names of those subnets known.
 */
export function unreachableBehind(
  { address, gatewayNetworks }: Pick<Node, 'address' | 'gatewayNetworks'>,
  host: string,
): string | null {
  const subnets = (Array.isArray(gatewayNetworks) ? gatewayNetworks : []).map(({ subnet }) => subnet);
  if (host === address || subnets.some((subnet) => networksOverlap(subnet, host))) return null;
  const choice = `Give an IPv4 address within ${subnets.join(' or ') || 'its subnet'}, or ${address} for the node itself.`;
  if (ipv4Range(host) !== null) return `${host} is not behind this gateway node. ${choice}`;
  return `Names of hosts behind a gateway node are known only there. ${choice}`;
}
