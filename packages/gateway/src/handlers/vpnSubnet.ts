import { parseNetwork } from '@sallyport/sdk/contract';

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const toText = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** The addresses from the first to the last of an IPv4 network; null when it is none. */
function range(network: string): { first: number; last: number } | null {
  const parsed = parseNetwork(network);
  if (parsed === null || parsed.family !== 4) return null;
  const size = 2 ** (32 - (parsed.prefix ?? 32));
  const first = Math.floor(toNumber(parsed.address) / size) * size;
  return { first, last: first + size - 1 };
}

/** The network in which nodes get their addresses; its first host is the gateway itself. */
export type VpnSubnet = {
  gateway: string;
  /** Whether a node can have the address: inside, and neither the network, the broadcast nor the gateway. */
  admits(address: string): boolean;
  /** The lowest address that is not taken; null when all are. */
  lowestFree(taken: ReadonlySet<string>): string | null;
  overlaps(network: string): boolean;
};

/** @param cidr IPv4, at most /30; checked when the settings are read */
export function vpnSubnet(cidr: string): VpnSubnet {
  const own = range(cidr);
  if (own === null) throw new TypeError(`not an IPv4 network: ${cidr}`);
  const { first, last } = own;
  const firstNode = first + 2;
  return {
    gateway: toText(first + 1),
    admits: (address) => toNumber(address) >= firstNode && toNumber(address) < last,
    lowestFree(taken) {
      for (let value = firstNode; value < last; value += 1) {
        const address = toText(value);
        if (!taken.has(address)) return address;
      }
      return null;
    },
    overlaps(network) {
      const other = range(network);
      return other !== null && other.first <= last && first <= other.last;
    },
  };
}
