import { interfaceName, type Node, nodeShape, parseNetwork, type WgConfig } from '@sallyport/sdk/contract';
import { Failure } from '../failure.ts';
import { isIP } from 'node:net';
import { isLoopbackHost } from '@sallyport/sdk/rules';

// Nothing that the gateway sends becomes a command: wg-quick runs those as root. Each value has one shape, and the
// commands that forward to a subnet are made here.
const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|[0-9A-Fa-f:]{2,39}|\[[0-9A-Fa-f:]{2,39}\])$/;
/** Marks what came out of the tunnel for the subnet, until its source address is replaced. */
const FORWARD_MARK = '0x5a11';

type Endpoint = WgConfig['peer']['endpoint'];

/** What the file of the tunnel is made from. */
export type TunnelParts = {
  interface: string;
  wg: WgConfig;
  node: Pick<Node, 'isGateway' | 'gatewayNetworks'>;
  /** Whether the DNS servers that the gateway names are used. */
  allowDns: boolean;
  /** Whether `iptables` is installed: its rules may refuse to forward, as those of Docker do. */
  hasIptables: boolean;
};

/** The file for wg-quick. A value that is none of the kind it should be is a `Failure`; so it never reaches a command. */
export function tunnelText({ interface: name, wg, node, allowDns, hasIptables }: TunnelParts): string {
  const { peer } = wg;
  const hooks = [
    ...(allowDns ? dnsHooks(wg.dns) : []),
    ...(node.isGateway ? forwarding(node.gatewayNetworks ?? [], name, hasIptables) : []),
  ];
  const lines = [
    '# Written by sallyport; the next connection writes it anew.',
    '[Interface]',
    `PrivateKey = ${checked('privateKey', wg.privateKey, KEY)}`,
    `Address = ${addressOf(wg.address)}`,
    ...(wg.mtu === undefined ? [] : [`MTU = ${whole('mtu', wg.mtu, 576, 65_535)}`]),
    ...hooks.map(({ up }) => `PostUp = ${up}`),
    ...hooks.flatMap(({ down }) => (down === undefined ? [] : `PostDown = ${down}`)),
    '',
    '[Peer]',
    `PublicKey = ${checked('publicKey', peer.publicKey, KEY)}`,
    `PresharedKey = ${checked('preSharedKey', peer.preSharedKey, KEY)}`,
    `AllowedIPs = ${listOf(peer.allowedIPs)
      .map((network) => networkOf('allowedIPs', network))
      .join(', ')}`,
    `PersistentKeepalive = ${whole('persistentKeepalive', peer.persistentKeepalive, 0, 65_535)}`,
    `Endpoint = ${endpointText(peer.endpoint)}`,
  ];
  return `${lines.join('\n')}\n`;
}

type Hook = { up: string; down?: string };

/** wg-quick's own DNS line needs resolvconf and takes the interface down without it; names are not worth the tunnel. */
function dnsHooks(dns: string | undefined): Hook[] {
  if (dns === undefined || dns === '') return [];
  if (!nodeShape.shape.dns.safeParse(dns).success) throw unusable('dns');
  const servers = listOf(dns.replaceAll(/\s+/g, ','));
  const text = servers.map((server) => `nameserver ${server}\\n`).join('');
  return [
    {
      up: `if command -v resolvconf >/dev/null; then printf '${text}' | resolvconf -a tun.%i -m 0 -x; elif command -v resolvectl >/dev/null; then resolvectl dns %i ${servers.join(' ')}; fi || true`,
      down: 'if command -v resolvconf >/dev/null; then resolvconf -d tun.%i; fi || true',
    },
  ];
}

type Network = { interface: string; subnet: string };

const MACHINE = '/proc/sys/net/ipv4/ip_forward';
const flagOf = (device: string) => `/proc/sys/net/ipv4/conf/${device}/forwarding`;

/**
 * Lets the machine forward from the tunnel to the subnets, with its own address as the source, and nothing else. It becomes
 * no router for those around it: net.ipv4.ip_forward stays as it is, and forwarding is turned on at each interface by
 * itself. What comes in there for anywhere else is dropped, and that rule tells later that it was turned on here.
 */
function forwarding(all: readonly Network[], name: string, hasIptables: boolean): Hook[] {
  for (const { interface: lan, subnet } of all) {
    // To the letter: forms forgive spaces around a name.
    if (interfaceName.safeParse(lan).data !== lan) throw unusable('interface');
    networkOf('subnet', subnet);
  }
  // The tunnel carries IPv4.
  const networks = all.filter(({ subnet }) => !subnet.includes(':'));
  if (networks.length === 0) return [];
  const table = `inet sallyport_${name.replaceAll('-', '_')}`;
  const guarded = String.raw`$(nft list chain ${table} forward | sed -n 's/^.*iifname "\([^"]*\)".* drop$/\1/p')`;
  // A machine that was told to forward by now needs it for others.
  const close = `{ [ "$(cat ${MACHINE})" = 1 ] || for i in ${guarded}; do echo 0 > ${flagOf('$i')}; done; } 2> /dev/null || true`;
  const devices = [...new Set(networks.map((network) => network.interface))];
  return [
    ...(hasIptables ? networks.flatMap((network) => iptablesRules(network, name)) : []),
    { up: close, down: close },
    { up: `nft '${tableText(table, networks, name)}'`, down: `nft delete table ${table} || true` },
    { up: `[ "$(cat ${flagOf(name)})" = 1 ] || echo 1 > ${flagOf(name)}` },
    ...devices.map((lan) => ({
      up: `if [ ! -e ${flagOf(lan)} ]; then echo 'There is no interface ${lan} yet.' >&2; elif [ "$(cat ${flagOf(lan)})" != 1 ]; then nft ${guard(table, lan)} && echo 1 > ${flagOf(lan)}; fi`,
    })),
  ];
}

/**
 * Words of bash for the rule that drops what comes in at an interface for anywhere else. Forwarding is turned on for IPv4
 * alone. Where br_netfilter is loaded, what a bridge hands on within itself passes here too, and goes on.
 */
const guard = (table: string, lan: string): string =>
  `'add rule ${table} forward meta nfproto ipv4 iifname "${lan}"'"$([ ! -d /sys/class/net/${lan}/bridge ] || echo ' oifname != "${lan}"')"' drop'`;

/** A rule of nftables cannot let through what those of iptables drop, as Docker's do. */
function iptablesRules({ interface: lan, subnet }: Network, name: string): Hook[] {
  const rules = [
    `-i ${name} -o ${lan} -d ${subnet} -j ACCEPT`,
    `-i ${lan} -o ${name} -s ${subnet} -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT`,
  ];
  return rules.map((rule) => ({
    up: `iptables -w -I FORWARD ${rule} || true`,
    down: `iptables -w -D FORWARD ${rule} || true`,
  }));
}

function tableText(table: string, networks: readonly Network[], name: string): string {
  const to = ({ interface: lan, subnet }: Network) =>
    `iifname "${name}" oifname "${lan}" ip daddr ${subnet} meta mark set ${FORWARD_MARK} accept;`;
  const known = 'ct status dnat accept; ct state established,related accept;';
  const forward = `chain forward { type filter hook forward priority -5; ${known} ${networks.map(to).join(' ')} iifname "${name}" drop; oifname "${name}" drop; }`;
  const source = `chain source { type nat hook postrouting priority 100; meta mark ${FORWARD_MARK} masquerade; }`;
  return `table ${table} { }; delete table ${table}; table ${table} { ${forward}; ${source}; }`;
}

const listOf = (value: string | readonly string[]): string[] =>
  (typeof value === 'string' ? value.split(',') : [...value]).map((part) => part.trim()).filter((part) => part !== '');

function checked(field: string, value: string, shape: RegExp): string {
  if (!shape.test(value)) throw unusable(field);
  return value;
}

function networkOf(field: string, value: string): string {
  if (parseNetwork(value) === null) throw unusable(field);
  return value;
}

/** One address alone: the network of a wider one would become a route. */
function addressOf(value: string): string {
  const { family, prefix } = parseNetwork(value) ?? {};
  if (family === undefined || ((prefix ?? null) !== null && prefix !== (family === 4 ? 32 : 128)))
    throw unusable('address');
  return value;
}

function whole(field: string, value: number, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max) throw unusable(field);
  return value;
}

function endpointText({ host, port }: Endpoint): string {
  checked('endpoint', host, HOST);
  const number = whole('endpoint', Number(port), 1, 65_535);
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${number}` : `${host}:${number}`;
}

/** What the gateway gave for a field is none of the kind it should be. */
export const unusable = (field: string) =>
  new Failure(
    'failed',
    `The gateway's configuration for this host cannot be used: its ${field} is not valid.`,
    'Nothing was changed; update sallyport or the gateway.',
  );

/** What is known when the end of a tunnel is chosen. */
export type EndpointParts = {
  /** Where the gateway says that its tunnel ends. */
  endpoint: Endpoint;
  /** The address by which this host reaches the gateway. */
  url: string;
  /** The file of the tunnel that is there; null: none. */
  present: string | null;
  /** Whether this machine finds an address for a name. */
  resolves: (host: string) => Promise<boolean>;
};

/** A host cannot reach a gateway there: that is the host itself, or no address of a machine. */
const leadsNowhere = (host: string): boolean => isLoopbackHost(host) || ['0.0.0.0', '::', '[::]'].includes(host);
const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/**
 * Where the tunnel of this host leads. A gateway that was never told its public name says the bare host name of its machine,
 * or a loopback address; the host by which its API was reached is a better guess then, and where a name leads nowhere.
 */
export async function endpointOf({ endpoint, url, present, resolves }: EndpointParts): Promise<Endpoint> {
  const { host } = endpoint;
  const reached = new URL(url).hostname.replace(/^\[|\]$/g, '');
  // On the gateway's own machine, or through a forwarded port, the address of the API tells nothing.
  if (reached === host || leadsNowhere(reached)) return endpoint;
  if (!leadsNowhere(host)) {
    if (isAddress(host)) return endpoint;
    // A tunnel that runs is not led elsewhere because a name server is away for a moment.
    const isUsed = present?.includes(`\nEndpoint = ${host}:${endpoint.port}\n`) === true;
    if (host.includes('.') && (isUsed || (await resolves(host)))) return endpoint;
  }
  return { ...endpoint, host: reached };
}
