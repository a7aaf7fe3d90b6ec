import type { GatewayNetwork, Node, WgConfig } from '@sallyport/sdk/contract';
import { gatewayRules, type Hooks } from './nodeHostRules.ts';
import { endpointHost, ipv4Address, ipv4Network, isIpAddress, wholeNumber, wireguardKey } from './wireguardText.ts';

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
