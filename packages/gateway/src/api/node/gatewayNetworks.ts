import type { GatewayNetwork, Problem } from '@sallyport/sdk/contract';
import type { LocalRoute, UsedAddress } from '../../world.ts';
import type { NodeRow } from '../../store/rows.ts';
import { overlaps } from '../../rules/ipNetwork.ts';
import ipaddr from 'ipaddr.js';

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
  /** For the access token of a node: which networks the administrator allowed it; null: he asks himself. */
  allowedToToken: readonly string[] | null;
  /** For a token: addresses and networks to which connections of nodes that had them before are open, or will be. */
  leftBehind: readonly string[];
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
          : problemOf(subnet, { had: known, all: networks.map((each) => each.subnet) }, surroundings)
        : `The subnet overlaps ${earlier.subnet}, another one of this node`;
    const field = index === 0 ? first : `gatewayNetworks.${index}.subnet`;
    return problem === null ? [] : [{ field, message: problem }];
  });
}

/**
 * @param of.had what is behind the node already, of which it may give a part
 * @param of.all what is to be behind it
 */
function problemOf(
  subnet: string,
  { had, all }: { had: ReadonlySet<string>; all: readonly string[] },
  surroundings: Surroundings,
): string | null {
  const forbidden = forbiddenNetworkProblem(subnet);
  if (forbidden !== null) return forbidden;
  const { allowedToToken } = surroundings;
  if (allowedToToken !== null && !isWithin(subnet, [...allowedToToken, ...had])) {
    const notToToken = tokenProblem(
      subnet,
      all.filter((each) => !isWithin(each, allowedToToken)),
    );
    if (notToToken !== null) return notToToken;
  }
  // To end them ends what others have open as well: a token may not.
  if (surroundings.leftBehind.some((address) => overlaps(subnet, address))) return IN_USE;
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

/** What no node may have behind it, with the reason. The first one that fits is told. */
const NEVER = (
  [
    ['255.255.255.255/32', 'is broadcast: it means all hosts of a link'],
    ['0.0.0.0/8', 'is no network of hosts: it stands for an address that is not known'],
    ['127.0.0.0/8', 'is loopback: each machine means itself by it'],
    ['169.254.0.0/16', 'is link-local: it is known on one link only'],
    ['224.0.0.0/4', 'is multicast: it has groups, not hosts'],
    ['240.0.0.0/4', 'is reserved: no host has such an address'],
    ['::/128', 'is no network of hosts: it stands for an address that is not known'],
    ['::1/128', 'is loopback: each machine means itself by it'],
    ['fe80::/10', 'is link-local: it is known on one link only'],
    ['ff00::/8', 'is multicast: it has groups, not hosts'],
  ] as const
).map(([network, reason]) => ({ network, problem: `${network} ${reason}` }));

/** RFC 1918 and RFC 6598. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
/** A token may give a sixteenth of such a range: the first node to name all of it would keep the others from theirs. */
const TOKEN_SHARE_BITS = 4;

/** Why the token of a node may not give a network by itself, together with all of them; null when it may. */
function tokenProblem(subnet: string, all: readonly string[]): string | null {
  const range = PRIVATE.find((each) => isWithin(subnet, [each]));
  if (range === undefined) return NOT_PRIVATE;
  const most = prefixOf(range) + TOKEN_SHARE_BITS;
  const addresses = all
    .filter((each) => isWithin(each, [range]))
    .reduce((sum, each) => sum + 2 ** (32 - prefixOf(each)), 0);
  return addresses <= 2 ** (32 - most)
    ? null
    : `A node itself may give at most a /${most} of ${range}, since other nodes have networks there, too. Give a smaller subnet, or ask the administrator to allow it this one`;
}

/** What the tunnel routes at most. */
const PREFIX_MIN = 8;

/** Why a network, given as CIDR, can be behind no node, in a sentence without its end; null when it can. */
export function forbiddenNetworkProblem(network: string): string | null {
  if (!ipaddr.isValidCIDR(network)) return 'This is no network';
  const [address, prefix] = ipaddr.parseCIDR(network);
  if (prefix === 0) return 'This is every address';
  if (address.kind() === 'ipv4' && prefix < PREFIX_MIN) {
    return `The network is too large: give one of /${PREFIX_MIN} or smaller`;
  }
  const never = NEVER.find(({ network: range }) => overlaps(range, network));
  if (never !== undefined) return never.problem;
  return address.kind() === 'ipv4' ? null : 'The tunnel carries IPv4 alone. Give an IPv4 subnet';
}

/** Whether all of a network is within one of the others. */
const isWithin = (network: string, others: readonly string[]): boolean =>
  others.some((each) => overlaps(each, network) && prefixOf(each) <= prefixOf(network));

const prefixOf = (network: string): number => ipaddr.parseCIDR(network)[1];
