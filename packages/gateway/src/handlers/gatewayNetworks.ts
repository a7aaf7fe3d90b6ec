import type { GatewayNetwork, Problem } from '@sallyport/sdk/contract';
import { ipv4Range, networksOverlap } from '@sallyport/sdk/rules';
import type { LocalRoute } from '../ports.ts';
import type { NodeRow } from '../store/rows.ts';

/** What the subnets behind a node must not overlap. */
export type Surroundings = {
  /** The VPN's own network. */
  vpnSubnet: string;
  /** Where the gateway's own machine sends packets by itself. */
  routes: readonly LocalRoute[];
  /** All nodes but the one in question. */
  neighbours: readonly Pick<NodeRow, 'name' | 'gatewayNetworks'>[];
};

/**
 * What is wrong with the subnets behind a node. One that the node had before is let be, so that a route which the
 * machine got since does not keep anybody from changing the node's name.
 */
export function gatewayNetworkProblems(
  networks: readonly GatewayNetwork[],
  before: readonly GatewayNetwork[],
  surroundings: Surroundings,
): Problem[] {
  const known = new Set(before.map(({ subnet }) => subnet));
  return networks.flatMap(({ subnet }, index) => {
    const earlier = networks.slice(0, index).find((other) => networksOverlap(other.subnet, subnet));
    const problem =
      earlier === undefined
        ? known.has(subnet)
          ? null
          : problemOf(subnet, surroundings)
        : `The subnet overlaps ${earlier.subnet}, another one of this node`;
    // The short form of the node's networks is its first one.
    const field = index === 0 ? 'gatewayNetwork' : `gatewayNetworks.${index}.subnet`;
    return problem === null ? [] : [{ field, message: problem }];
  });
}

function problemOf(subnet: string, { vpnSubnet, routes, neighbours }: Surroundings): string | null {
  if (ipv4Range(subnet) === null) return 'The tunnel carries IPv4 alone. Give an IPv4 subnet';
  if (networksOverlap(subnet, vpnSubnet)) return `The subnet overlaps the VPN's own, ${vpnSubnet}`;
  for (const { name, gatewayNetworks } of neighbours) {
    const taken = gatewayNetworks?.find((network) => networksOverlap(network.subnet, subnet));
    if (taken !== undefined) return `The subnet overlaps ${taken.subnet}, which is behind the node ${name}`;
  }
  const route = routes.find((each) => networksOverlap(each.network, subnet));
  if (route === undefined) return null;
  return `The subnet overlaps ${route.network}, to which the gateway's own machine has a route (${route.device})`;
}
