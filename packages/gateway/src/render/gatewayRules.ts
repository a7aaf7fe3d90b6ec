import type { GatewayNetwork } from '@sallyport/sdk/contract';
import { interfaceName, ipv4Network } from './wireguardText.ts';

/** Commands that `wg-quick` runs as root, in order. */
export type Hooks = { postUp: string[]; postDown: string[] };

/**
 * What makes a node's host hand packets on from the tunnel to the subnets behind it, and nothing else: what the tunnel
 * brings for other places, and what the subnets begin towards the tunnel, is dropped. All of it stands in a chain or
 * table of its own, named after the interface, so that it can be put up twice and comes down whole. Where iptables works
 * it is taken, since a rule of nftables cannot let through what another table (Docker's) drops; else nft.
 * `%i` is the interface: wg-quick fills it in, and its bash runs the line.
 * @throws {WireguardTextError}
 */
export function gatewayRules(networks: readonly GatewayNetwork[], vpnSubnet: string): Hooks {
  const vpn = ipv4Network(vpnSubnet);
  const routes = networks.map((network) => ({
    device: interfaceName(network.interface),
    subnet: ipv4Network(network.subnet),
  }));
  const devices = [...new Set(routes.map(({ device }) => device))];
  const byIptables = upWithIptables(routes, devices, vpn);
  const byNft = upWithNft(routes, devices, vpn);
  return {
    postUp: [
      // Never switched off again: somebody else may need it.
      `[ "$(cat /proc/sys/net/ipv4/ip_forward)" = 1 ] || echo 1 > /proc/sys/net/ipv4/ip_forward`,
      `${HAS_IPTABLES} { ${DOWN_WITH_IPTABLES} ${byIptables}; }; elif command -v nft > /dev/null; then ${byNft}; else echo 'A gateway node needs nftables or iptables. Install one of them, then connect again.' >&2; exit 1; fi`,
    ],
    postDown: [
      `${HAS_IPTABLES} ${DOWN_WITH_IPTABLES} else ${NFT_TABLE} nft delete table ip "$T" 2> /dev/null; fi; true`,
    ],
  };
}

type Route = { device: string; subnet: string };

// Asked by using it: a host may have the command without the kernel's side of it.
const HAS_IPTABLES = 'if iptables -w -S FORWARD > /dev/null 2>&1; then';

/** At most 25 characters; iptables takes 28. */
const CHAIN = 'sallyport-%i';

const DOWN_WITH_IPTABLES = [
  `iptables -w -D FORWARD -i %i -j ${CHAIN}`,
  `iptables -w -D FORWARD -o %i -j ${CHAIN}`,
  `iptables -w -F ${CHAIN}`,
  `iptables -w -X ${CHAIN}`,
  `iptables -w -t nat -D POSTROUTING -j ${CHAIN}`,
  `iptables -w -t nat -F ${CHAIN}`,
  `iptables -w -t nat -X ${CHAIN}`,
]
  .map((command) => `${command} 2> /dev/null || true;`)
  .join(' ');

function upWithIptables(routes: readonly Route[], devices: readonly string[], vpn: string): string {
  return [
    `iptables -w -N ${CHAIN}`,
    // Ports that Docker publishes on this host itself go on to Docker's own rules.
    `iptables -w -A ${CHAIN} -m conntrack --ctstate DNAT -j RETURN`,
    `iptables -w -A ${CHAIN} -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT`,
    ...routes.map(
      ({ device, subnet }) => `iptables -w -A ${CHAIN} -i %i -o ${device} -s ${vpn} -d ${subnet} -j ACCEPT`,
    ),
    `iptables -w -A ${CHAIN} -i %i -j DROP`,
    ...devices.map((device) => `iptables -w -A ${CHAIN} -i ${device} -o %i -j DROP`),
    `iptables -w -I FORWARD -i %i -j ${CHAIN}`,
    `iptables -w -I FORWARD -o %i -j ${CHAIN}`,
    `iptables -w -t nat -N ${CHAIN}`,
    ...routes.map(
      ({ device, subnet }) => `iptables -w -t nat -A ${CHAIN} -s ${vpn} -d ${subnet} -o ${device} -j MASQUERADE`,
    ),
    `iptables -w -t nat -I POSTROUTING -j ${CHAIN}`,
  ].join(' && ');
}

// The name of a table takes fewer characters than that of an interface.
const NFT_TABLE = 'T=%i; T="sallyport_${T//[^A-Za-z0-9]/_}";';

function upWithNft(routes: readonly Route[], devices: readonly string[], vpn: string): string {
  const forward = [
    'type filter hook forward priority -1',
    'ct status dnat accept',
    'ct state established,related accept',
    ...routes.map(({ device, subnet }) => `iifname "%i" oifname "${device}" ip saddr ${vpn} ip daddr ${subnet} accept`),
    'iifname "%i" drop',
    ...devices.map((device) => `iifname "${device}" oifname "%i" drop`),
  ];
  const nat = [
    'type nat hook postrouting priority 100',
    ...routes.map(({ device, subnet }) => `ip saddr ${vpn} ip daddr ${subnet} oifname "${device}" masquerade`),
  ];
  const lines = [
    '"add table ip $T" "delete table ip $T" "table ip $T {"',
    `'chain forward { ${forward.join('; ')}; }'`,
    `'chain postrouting { ${nat.join('; ')}; }'`,
    "'}'",
  ];
  return String.raw`${NFT_TABLE} printf '%s\n' ${lines.join(' ')} | nft -f -`;
}
