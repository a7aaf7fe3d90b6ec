import ipaddr from 'ipaddr.js';
import { overlaps } from '../../rules/ipNetwork.ts';

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

/** RFC 1918, RFC 6598 and RFC 4193. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];

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

/** Whether all of a network is private, or within one of the others that are given. */
export function isPrivateOr(network: string, others: readonly string[]): boolean {
  const [, prefix] = ipaddr.parseCIDR(network);
  return [...PRIVATE, ...others].some((each) => overlaps(each, network) && ipaddr.parseCIDR(each)[1] <= prefix);
}
