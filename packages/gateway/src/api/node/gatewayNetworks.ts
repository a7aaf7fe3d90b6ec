import type { GatewayNetwork, Problem } from '@sallyport/sdk/contract';
import type { LocalRoute, UsedAddress } from '../../world.ts';
import type { NodeRow } from '../../store/rows.ts';
import { overlaps } from '../../rules/ipNetwork.ts';
import { forbiddenNetworkProblem, isPrivateOr } from './networkRanges.ts';

/** What the subnets behind a node must not overlap. */
export type Surroundings = {
  /** The VPN's own network. */
  vpnSubnet: string;
  /** Where the gateway's own machine sends packets by itself. */
  routes: readonly LocalRoute[];
  /** What the gateway's own machine cannot do without. */
  used: readonly UsedAddress[];
  /** All nodes but the one in question. */
  neighbours: readonly Pick<NodeRow, 'name' | 'gatewayNetworks'>[];
  /** For the access token of a node: which networks the administrator allowed it, beyond private ones; null: he asks himself. */
  allowedToToken: readonly string[] | null;
};

const NOT_PRIVATE =
  'A node itself may only give private networks: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10. The administrator can allow it others';
/** It does not say for what: that may be another node. */
const IN_USE = 'The gateway uses this subnet, or a part of it. Choose another one, or ask the administrator';

/**
 * What is wrong with the subnets behind a node. One that the node had before is let be, so that a route which the
 * machine got since does not prevent changes of the node's name.
 * @param first the field in which the first of them was given
 */
export function gatewayNetworkProblems(
  networks: readonly GatewayNetwork[],
  before: readonly GatewayNetwork[],
  surroundings: Surroundings,
  first: string,
): Problem[] {
  const known = new Set(before.map(({ subnet }) => subnet));
  return networks.flatMap(({ subnet }, index) => {
    const earlier = networks.slice(0, index).find((other) => overlaps(other.subnet, subnet));
    const problem =
      earlier === undefined
        ? known.has(subnet)
          ? null
          : problemOf(subnet, known, surroundings)
        : `The subnet overlaps ${earlier.subnet}, another one of this node`;
    const field = index === 0 ? first : `gatewayNetworks.${index}.subnet`;
    return problem === null ? [] : [{ field, message: problem }];
  });
}

/** @param had what is behind the node already, of which it may give a part */
function problemOf(subnet: string, had: ReadonlySet<string>, surroundings: Surroundings): string | null {
  const forbidden = forbiddenNetworkProblem(subnet);
  if (forbidden !== null) return forbidden;
  const { allowedToToken } = surroundings;
  if (allowedToToken !== null && !isPrivateOr(subnet, [...allowedToToken, ...had])) return NOT_PRIVATE;
  const conflict = conflictOf(subnet, surroundings);
  return conflict !== null && allowedToToken !== null ? IN_USE : conflict;
}

function conflictOf(subnet: string, { vpnSubnet, routes, used, neighbours }: Surroundings): string | null {
  if (overlaps(subnet, vpnSubnet)) return `The subnet overlaps the VPN's own, ${vpnSubnet}`;
  for (const { name, gatewayNetworks } of neighbours) {
    const theirs = Array.isArray(gatewayNetworks) ? gatewayNetworks : [];
    const taken = theirs.find((network) => overlaps(subnet, network.subnet));
    if (taken !== undefined) return `The subnet overlaps ${taken.subnet}, which is behind the node ${name}`;
  }
  const route = routes.find(({ network }) => overlaps(subnet, network));
  if (route !== undefined) {
    return `The subnet overlaps ${route.network}, to which the gateway's own machine has a route (${route.device})`;
  }
  const needed = used.find(({ address }) => overlaps(subnet, address));
  if (needed === undefined) return null;
  return `The subnet contains ${needed.address}, ${needed.use}, which the gateway's own machine needs`;
}
