import ipaddr from 'ipaddr.js';
import { networkOf, overlaps } from './ipNetwork.ts';

/** No proxy has a larger network: of the internet's, Cloudflare's are `/13` and `/29` at most. */
const SHORTEST_PREFIX = { ipv4: 8, ipv6: 16 };

/**
 * Reads the addresses and networks of proxies whose word counts, separated by commas or spaces.
 * @returns the networks, each once and in one spelling, or what is wrong, as it follows the name of the setting
 */
export function readTrustedProxies(text: string): { networks: string[] } | { problem: string } {
  const networks = new Set<string>();
  for (const entry of text.split(/[\s,]+/).filter((each) => each !== '')) {
    const network = networkOf(entry);
    // `parseCIDR` also takes 010.0.0.1, 0x7f.1 and addresses of an interface.
    if (
      network === null ||
      !/^(?:(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}|[0-9a-f.]*:[0-9a-f:.]*)(?:\/\d{1,3})?$/i.test(entry)
    ) {
      return { problem: 'must be addresses and networks of proxies, like 192.0.2.10,2001:db8::/64' };
    }
    const [address, prefix] = plain(network);
    if (prefix < SHORTEST_PREFIX[address.kind()]) {
      const all = prefix === 0 ? 'every visitor' : 'a large part of the internet';
      return {
        problem: `must not have ${entry}: ${all} could then come under any address, past every list of addresses. Name the addresses of the proxy alone`,
      };
    }
    const family = address.kind() === 'ipv6' ? ipaddr.IPv6 : ipaddr.IPv4;
    networks.add(`${family.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString()}/${prefix}`);
  }
  return { networks: [...networks] };
}

const MAPPED_PREFIX = 96;

/** IPv4 in the spelling of IPv6 is IPv4: proxies come by sockets of their own family. */
function plain([address, prefix]: [ipaddr.IPv4 | ipaddr.IPv6, number]): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && prefix >= MAPPED_PREFIX
    ? [address.toIPv4Address(), prefix - MAPPED_PREFIX]
    : [address, prefix];
}

/** The first of the networks from which nodes come: what runs on their hosts could name any visitor. */
export const proxyInTunnel = (networks: readonly string[], vpnSubnet: string): string | null =>
  networks.find((network) => overlaps(network, vpnSubnet)) ?? null;
