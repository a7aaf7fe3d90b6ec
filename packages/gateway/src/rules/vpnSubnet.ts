import { ipv4Range, ipv4Text } from '@sallyport/sdk/rules';

/** The network in which nodes get their addresses; its first host is the gateway itself. */
export type VpnSubnet = {
  gateway: string;
  /** Whether a node can have the address: inside, and neither the network, the broadcast nor the gateway. */
  admits(address: string): boolean;
  /** The lowest address that is not taken; null when all are. */
  lowestFree(taken: ReadonlySet<string>): string | null;
};

/** @param cidr IPv4, at most /30; checked when the settings are read */
export function vpnSubnet(cidr: string): VpnSubnet {
  const own = ipv4Range(cidr);
  if (own === null) throw new TypeError(`not an IPv4 network: ${cidr}`);
  const { first, last } = own;
  const firstNode = first + 2;
  return {
    gateway: ipv4Text(first + 1),
    admits(address) {
      const range = ipv4Range(address);
      return range !== null && range.first >= firstNode && range.last < last;
    },
    lowestFree(taken) {
      for (let value = firstNode; value < last; value += 1) {
        const address = ipv4Text(value);
        if (!taken.has(address)) return address;
      }
      return null;
    },
  };
}
