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

const MACHINE = '/proc/sys/net/ipv4/ip_forward';
const flagOf = (device: string): string => `/proc/sys/net/ipv4/conf/${device}/forwarding`;

/**
 * What makes a node's host hand packets on from the tunnel to the subnets behind it, and nothing else: what the tunnel
 * brings for other places, and what the subnets begin towards the tunnel, is dropped. All of it stands in a chain or
 * table of its own, named after the interface, so that it can be put up twice and comes down whole. Where iptables works
 * it is taken, since a rule of nftables cannot let through what another table (Docker's) drops; else nft.
 *
 * The host becomes no router for those around it: `net.ipv4.ip_forward` stays as it is, and forwarding is turned on at
 * each interface by itself. What comes in there for anywhere but the tunnel is dropped, and that rule tells later that it
 * was turned on here.
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
  const devices = [...new Set(routes.map(({ device }) => device))];
  return {
    postUp: [
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
      ...devices.map((device) =>
        either(
          [`iptables -w -A $C -i ${device} -o %i -j DROP`],
          [`nft add rule ip $T forward iifname ${quoted(device)} oifname ${quoted('%i')} drop`],
        ),
      ),
      `if ${HAS_IPTABLES}; then ${CHAIN} iptables -w -I FORWARD -i %i -j $C && iptables -w -I FORWARD -o %i -j $C && iptables -w -t nat -I POSTROUTING -j $C; fi`,
      `[ $(cat ${flagOf('%i')}) = 1 ] || echo 1 > ${flagOf('%i')}`,
      ...devices.map(opening),
    ],
    postDown: TAKE_DOWN,
  };
}

const either = (byIptables: readonly string[], byNft: readonly string[]): string =>
  `if ${HAS_IPTABLES}; then ${CHAIN} ${byIptables.join(' && ')}; else ${TABLE} ${QUOTE} ${byNft.join(' && ')}; fi`;

/** Turns forwarding on at an interface, unless it is, once what comes in there for anywhere but the tunnel is dropped. */
function opening(device: string): string {
  const guard = either(
    [`iptables -w -I FORWARD -i ${device} ! -o %i -m conntrack ! --ctstate ESTABLISHED,RELATED,DNAT -j DROP`],
    [`nft add rule ip $T forward iifname ${quoted(device)} drop`],
  );
  return `F=${flagOf(device)}; if [ ! -e $F ]; then echo 'There is no interface ${device} yet.' >&2; elif [ $(cat $F) != 1 ]; then ${guard} && echo 1 > $F; fi`;
}

/** A host that was told to forward by now needs it for others. */
const CLOSE = `[ $(cat ${MACHINE}) = 1 ] || echo 0 > ${flagOf('$D')}`;

/** Fails never: what is not there need not be taken away. */
const TAKE_DOWN = [
  `if ${HAS_IPTABLES}; then iptables -w -S FORWARD | grep -F -e ' ! -o %i ' | while read -r A C I D R; do iptables -w -D $C $I $D $R; ${CLOSE}; done; fi 2> /dev/null || true`,
  `${TABLE} nft list chain ip $T forward 2> /dev/null | grep -F iifname | while read -r K D R; do if [[ $R = drop ]]; then D=\${D:1:-1}; ${CLOSE}; fi; done 2> /dev/null || true`,
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
