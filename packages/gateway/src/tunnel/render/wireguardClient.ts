import type { GatewayNetwork, Node, WgConfig } from '@sallyport/sdk/contract';

/** What of a node its configuration is made of. */
export type ClientNode = Pick<Node, 'id' | 'address' | 'dns' | 'keepalive' | 'allowInternet' | 'isGateway'> & {
  gatewayNetworks: GatewayNetwork[] | null;
};

/** The secrets of a node, as WireGuard writes them. */
export type ClientKeys = { privateKey: string; presharedKey: string };

/** The gateway's end of the tunnel, as its nodes see it. */
export type TunnelServer = {
  publicKey: string;
  /** A name or an address. */
  host: string;
  port: number;
  /** CIDR, IPv4. */
  subnet: string;
  /** Bytes; null: what wg-quick finds out. */
  mtu: number | null;
};

/** Who reads the text: `wg-quick`, or one of WireGuard's apps, which take no commands and know DNS servers themselves. */
export type ClientForm = 'wg-quick' | 'app';

const EVERYWHERE = ['0.0.0.0/0', '::/0'] as const;

/**
 * A node's configuration in parts. Nothing that only a person reads is in it, the node's name among that.
 * @throws {WireguardTextError} when the row holds what cannot stand in a configuration
 */
export function wireguardClient(node: ClientNode, keys: ClientKeys, server: TunnelServer): WgConfig {
  const dns = dnsServers(node.dns);
  const port = wholeNumber(server.port, 1, 65_535);
  const hooks = [
    dns.length === 0 ? null : dnsHooks(dns, node.allowInternet),
    node.isGateway && node.gatewayNetworks ? gatewayRules(node.gatewayNetworks, server.subnet) : null,
  ].filter((each) => each !== null);
  return {
    privateKey: wireguardKey(keys.privateKey),
    address: `${ipv4Address(node.address)}/32`,
    ...(dns.length > 0 && { dns: dns.join(', ') }),
    ...(server.mtu !== null && { mtu: wholeNumber(server.mtu, 576, 65_535) }),
    postUp: hooks.flatMap(({ postUp }) => postUp),
    postDown: hooks.flatMap(({ postDown }) => postDown),
    peer: {
      publicKey: wireguardKey(server.publicKey),
      preSharedKey: wireguardKey(keys.presharedKey),
      allowedIPs: node.allowInternet ? [...EVERYWHERE] : ipv4Network(server.subnet),
      persistentKeepalive: wholeNumber(node.keepalive, 0, 65_535),
      endpoint: { url: `${endpointHost(server.host)}:${port}`, host: server.host, port: String(port) },
    },
  };
}

/** The same as the text of a configuration file. */
export function wireguardClientText(config: WgConfig, form: ClientForm): string {
  const { peer } = config;
  const lines = [
    '[Interface]',
    `PrivateKey = ${config.privateKey}`,
    `Address = ${config.address}`,
    ...(config.mtu === undefined ? [] : [`MTU = ${config.mtu}`]),
    ...(form === 'app'
      ? config.dns === undefined
        ? []
        : [`DNS = ${config.dns}`]
      : [...config.postUp.map((hook) => `PostUp = ${hook}`), ...config.postDown.map((hook) => `PostDown = ${hook}`)]),
    '',
    '[Peer]',
    `PublicKey = ${peer.publicKey}`,
    `PresharedKey = ${peer.preSharedKey}`,
    `AllowedIPs = ${[peer.allowedIPs].flat().join(', ')}`,
    `Endpoint = ${peer.endpoint.url}`,
    `PersistentKeepalive = ${peer.persistentKeepalive}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** A name that wg-quick takes for an interface's: at most 15 characters before `.conf`. */
export const wireguardFileName = (nodeId: number): string => `sp-${wholeNumber(nodeId, 1, 999_999_999_999)}.conf`;

/** A row from before the addresses were checked may hold something else: the host joins without it. */
const dnsServers = (dns: string | null): string[] => (dns ?? '').split(/[\s,]+/).filter(isIpAddress);

/**
 * The DNS servers of the tunnel. A line `DNS` would do the same, but takes the whole tunnel down again on a host without
 * resolvconf; here the host keeps its own servers then, and says so.
 */
function dnsHooks(servers: readonly string[], everything: boolean): Hooks {
  const resolved = `resolvectl dns %i ${servers.join(' ')} && resolvectl default-route %i ${everything ? 'yes' : 'no'}${everything ? " && resolvectl domain %i '~.'" : ''}`;
  const lines = servers.map((server) => `echo nameserver ${server};`).join(' ');
  return {
    postUp: [
      `if command -v resolvconf > /dev/null; then { ${lines} } | resolvconf -a %i -m 0 -x; elif resolvectl status > /dev/null 2>&1; then ${resolved}; else false; fi || echo 'The DNS servers of the tunnel are not used: this host has no resolvconf.' >&2`,
    ],
    postDown: [
      'if command -v resolvconf > /dev/null; then resolvconf -d %i -f; else resolvectl revert %i; fi > /dev/null 2>&1 || true',
    ],
  };
}

/** A value that cannot stand in a configuration of WireGuard; the message is a sentence for the administrator. */
export class WireguardTextError extends Error {
  override readonly name = 'WireguardTextError';
}

// Whatever the database holds is checked here again: some of these words are part of a command that root runs.
const ADDRESS = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const NETWORK = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!\/)|(?=\/))){4}\/(?:3[0-2]|[12]?\d)$/;
const INTERFACE = /^(?!(?:all|default|lo)$)[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/;
const KEY = /^[A-Za-z0-9+/]{43}=$/;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const IPV6 = /^[0-9A-Fa-f:][0-9A-Fa-f:.]{1,44}$/;

/** An IPv4 address. @throws {WireguardTextError} */
export const ipv4Address = (value: unknown): string => matching(value, ADDRESS, 'IPv4 address');

/** An IPv4 network with its prefix. @throws {WireguardTextError} */
export const ipv4Network = (value: unknown): string => matching(value, NETWORK, 'IPv4 network');

/** The name of a network interface. @throws {WireguardTextError} */
export const interfaceName = (value: unknown): string => matching(value, INTERFACE, 'name of an interface');

/** A key of 32 bytes. It is not told when it is wrong. @throws {WireguardTextError} */
export function wireguardKey(value: unknown): string {
  if (typeof value === 'string' && KEY.test(value)) return value;
  throw new WireguardTextError('A stored key is damaged. Restore the database from a backup.');
}

/** Whether it is IPv4 or IPv6, without a network. */
export const isIpAddress = (value: string): boolean => (value.includes(':') ? IPV6 : ADDRESS).test(value);

/** A host as it stands before a port: IPv6 in brackets. @throws {WireguardTextError} */
export function endpointHost(value: string): string {
  return value.includes(':') ? `[${matching(value, IPV6, 'IP address')}]` : matching(value, HOST, 'host name');
}

/** A whole number. @throws {WireguardTextError} */
export function wholeNumber(value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw wrong(value, `whole number from ${min} to ${max}`);
}

function matching(value: unknown, pattern: RegExp, noun: string): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw wrong(value, noun);
}

/** As JSON and short, so that nothing of it reaches a terminal as it is. */
function wrong(value: unknown, noun: string): WireguardTextError {
  const text = JSON.stringify(value) ?? String(value);
  const shown = text.length > 80 ? `${text.slice(0, 77)}…` : text;
  return new WireguardTextError(`${shown} is not a valid ${noun}. Edit the node and save it again.`);
}

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
