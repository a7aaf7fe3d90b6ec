import type { GatewayNetwork } from '@sallyport/sdk/contract';
import { interfaceName, ipv4Network } from './wireguardText.ts';

/** Commands that `wg-quick` runs as root, in order. */
export type Hooks = { postUp: string[]; postDown: string[] };

// Asked by using it: a host may have the command without the kernel's side of it.
const HAS_IPTABLES = 'iptables -w -S FORWARD > /dev/null 2>&1';
/** At most 25 characters; iptables takes 28. */
const CHAIN = 'C=sallyport-%i;';
/** The name of a table takes fewer characters than that of an interface. No quotes: nothing is split after a `=`. */
const TABLE = 'T=%i; T=sallyport_${T//[^A-Za-z0-9]/_};';
/** nft wants names of interfaces in double quotes. bash ends what it declares with one. */
const QUOTE = 'Q=$(declare -p T); Q=${Q: -1};';
const quoted = (device: string): string => `\${Q}${device}\${Q}`;

const MISSING = 'A gateway node needs nftables or iptables. Install one of them, then connect again.';

/**
 * What makes a node's host hand packets on from the tunnel to the subnets behind it, and nothing else: what the tunnel
 * brings for other places, and what the subnets begin towards the tunnel, is dropped. All of it stands in a chain or
 * table of its own, named after the interface, so that it can be put up twice and comes down whole. Where iptables works
 * it is taken, since a rule of nftables cannot let through what another table (Docker's) drops; else nft.
 *
 * `%i` is the interface: wg-quick fills it in, and its bash runs each line by itself. There are many short lines because
 * the time that wg-quick takes to read one grows with the square of its length.
 * @throws {WireguardTextError}
 */
export function gatewayRules(networks: readonly GatewayNetwork[], vpnSubnet: string): Hooks {
  const vpn = ipv4Network(vpnSubnet);
  const routes = networks.map((network) => ({
    device: interfaceName(network.interface),
    subnet: ipv4Network(network.subnet),
  }));
  return {
    postUp: [
      // Never switched off again: somebody else may need it.
      '[ $(cat /proc/sys/net/ipv4/ip_forward) = 1 ] || echo 1 > /proc/sys/net/ipv4/ip_forward',
      `${HAS_IPTABLES} || command -v nft > /dev/null || { echo '${MISSING}' >&2; exit 1; }`,
      ...TAKE_DOWN,
      ...FIRST,
      ...routes.map(({ device, subnet }) =>
        either(
          [
            `iptables -w -A $C -i %i -o ${device} -s ${vpn} -d ${subnet} -j ACCEPT`,
            `iptables -w -t nat -A $C -o ${device} -s ${vpn} -d ${subnet} -j MASQUERADE`,
          ],
          [
            `nft add rule ip $T forward iifname ${quoted('%i')} oifname ${quoted(device)} ip saddr ${vpn} ip daddr ${subnet} accept`,
            `nft add rule ip $T postrouting oifname ${quoted(device)} ip saddr ${vpn} ip daddr ${subnet} masquerade`,
          ],
        ),
      ),
      either(['iptables -w -A $C -i %i -j DROP'], [`nft add rule ip $T forward iifname ${quoted('%i')} drop`]),
      ...[...new Set(routes.map(({ device }) => device))].map((device) =>
        either(
          [`iptables -w -A $C -i ${device} -o %i -j DROP`],
          [`nft add rule ip $T forward iifname ${quoted(device)} oifname ${quoted('%i')} drop`],
        ),
      ),
      `if ${HAS_IPTABLES}; then ${CHAIN} iptables -w -I FORWARD -i %i -j $C && iptables -w -I FORWARD -o %i -j $C && iptables -w -t nat -I POSTROUTING -j $C; fi`,
    ],
    postDown: TAKE_DOWN,
  };
}

const either = (byIptables: readonly string[], byNft: readonly string[]): string =>
  `if ${HAS_IPTABLES}; then ${CHAIN} ${byIptables.join(' && ')}; else ${TABLE} ${QUOTE} ${byNft.join(' && ')}; fi`;

/** Fails never: what is not there need not be taken away. */
const TAKE_DOWN = [
  `if ${HAS_IPTABLES}; then ${CHAIN} iptables -w -D FORWARD -i %i -j $C; iptables -w -D FORWARD -o %i -j $C; iptables -w -F $C; iptables -w -X $C; fi 2> /dev/null || true`,
  `if ${HAS_IPTABLES}; then ${CHAIN} iptables -w -t nat -D POSTROUTING -j $C; iptables -w -t nat -F $C; iptables -w -t nat -X $C; fi 2> /dev/null || true`,
  `${TABLE} nft delete table ip $T 2> /dev/null || true`,
];

const FIRST = [
  either(
    [
      'iptables -w -N $C',
      // Ports that Docker publishes on this host itself go on to Docker's own rules.
      'iptables -w -A $C -m conntrack --ctstate DNAT -j RETURN',
      'iptables -w -A $C -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT',
      'iptables -w -t nat -N $C',
    ],
    [
      'nft add table ip $T',
      "nft add chain ip $T forward '{ type filter hook forward priority -1; }'",
      'nft add rule ip $T forward ct status dnat accept',
      'nft add rule ip $T forward ct state established,related accept',
      "nft add chain ip $T postrouting '{ type nat hook postrouting priority 100; }'",
    ],
  ),
];
