import ipaddr from 'ipaddr.js';

type Network = ReturnType<typeof ipaddr.parseCIDR>;

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
).map(([network, reason]) => ({ range: ipaddr.parseCIDR(network), problem: `${network} ${reason}` }));

/** RFC 1918, RFC 6598 and RFC 4193. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];

/** What the tunnel routes at most. */
const PREFIX_MIN = 8;

/** Whether a network, given as CIDR, has an address in common with an address or another network. */
export function overlaps(network: string, other: string): boolean {
  const cidr = other.includes('/') ? other : `${other}/32`;
  // A row that was damaged by hand names no network.
  if (!ipaddr.isValidCIDR(network) || !ipaddr.isValidCIDR(cidr)) return false;
  return sharesAddress(ipaddr.parseCIDR(network), ipaddr.parseCIDR(cidr));
}

/** Why a network, given as CIDR, can be behind no node, in a sentence without its end; null when it can. */
export function forbiddenNetworkProblem(network: string): string | null {
  if (!ipaddr.isValidCIDR(network)) return 'This is no network';
  const wanted = ipaddr.parseCIDR(network);
  const [address, prefix] = wanted;
  if (prefix === 0) return 'This is every address';
  if (address.kind() === 'ipv4' && prefix < PREFIX_MIN) {
    return `The network is too large: give one of /${PREFIX_MIN} or smaller`;
  }
  const never = NEVER.find(({ range }) => sharesAddress(range, wanted));
  if (never !== undefined) return never.problem;
  return address.kind() === 'ipv4' ? null : 'The tunnel carries IPv4 alone. Give an IPv4 subnet';
}

/** Whether a network is wholly private, or within one of the others that are given. */
export function isPrivateOr(network: string, others: readonly string[]): boolean {
  const [address, prefix] = ipaddr.parseCIDR(network);
  return [...PRIVATE, ...others.filter((each) => ipaddr.isValidCIDR(each))].some((each) => {
    const [base, bits] = ipaddr.parseCIDR(each);
    return bits <= prefix && sharesAddress([address, prefix], [base, bits]);
  });
}

function sharesAddress([one, bits]: Network, [two, otherBits]: Network): boolean {
  if (one.kind() !== two.kind()) return false;
  return one.match(two, Math.min(bits, otherBits));
}
