import { isIPv4 } from 'node:net';
import type { OwnNode, ServiceType } from '@sallyport/sdk/contract';
import { unusable } from './tunnelText.ts';

/** A port of this host. */
export type Port = { proto: 'tcp' | 'udp'; port: number };

/** A port as the host's configuration keeps it: `tcp/8080`. */
export const portName = ({ proto, port }: Port): string => `${proto}/${port}`;

/** The port of such a name. */
export function portOf(name: string): Port {
  const [proto, port] = name.split('/');
  return { proto: proto === 'udp' ? 'udp' : 'tcp', port: Number(port) };
}

/** A socket that waits for others. */
export type Listener = Port & { address: string };

/** How the gateway's connections to a port end without this host's help. */
export type Reach = 'reachable' | 'loopback' | 'elsewhere' | 'none';

/** Where the gateway's packets for a port lead to when they are forwarded. */
export const LOOPBACK = '127.0.0.1';

/** Reads what `ss -Hlntu` prints; `*` is any address of IPv4 and IPv6, `[::]` of IPv6 alone. */
export const listenersIn = (text: string): Listener[] =>
  text.split('\n').flatMap((line) => {
    const [proto, , , , local = ''] = line.trim().split(/\s+/);
    const [, shown = '', port] = /^(.+):(\d+)$/.exec(local) ?? [];
    if (port === undefined || (proto !== 'tcp' && proto !== 'udp')) return [];
    const address = shown.replaceAll(/[[\]]/g, '').replace(/^::ffff:(?=\d+\.)/i, '');
    return [{ proto, port: Number(port), address }];
  });

/** Where a port is listened on, each address once. */
export const addressesOf = (listeners: readonly Listener[], { proto, port }: Port): string[] => [
  ...new Set(listeners.filter((each) => each.proto === proto && each.port === port).map(({ address }) => address)),
];

/** @param own this host's address in the tunnel */
export function reachOf(listeners: readonly Listener[], port: Port, own: string): Reach {
  const addresses = addressesOf(listeners, port);
  if (addresses.some((address) => ['*', '0.0.0.0', own].includes(address))) return 'reachable';
  if (addresses.includes(LOOPBACK)) return 'loopback';
  return addresses.length === 0 ? 'none' : 'elsewhere';
}

type Published = Pick<OwnNode, 'isGateway' | 'address' | 'httpServices' | 'tcpServices'>;

/** A port of this host that a service of its node leads to. */
export type PublishedPort = Port & { type: ServiceType; name: string };

/**
 * The ports of this host itself that its node's services lead to.
 * @param which all of them, or those that are open
 */
export const publishedPorts = (node: Published, which: 'all' | 'open'): PublishedPort[] =>
  [
    ...node.httpServices.map((each) => ({ ...each, type: 'http' as const, proto: 'tcp' as const })),
    ...node.tcpServices.map((each) => ({ ...each, type: 'tcp' as const })),
  ]
    .filter(({ enabled, backendHost }) => (which === 'all' || enabled) && isOwnBackend(node, backendHost))
    .map(({ type, name, proto, backendPort }) => ({ type, name, proto, port: backendPort }));

/** The command that exposes a port. It will be pasted into a shell, and the gateway chose the name. */
export const exposingCommand = ({
  type,
  name,
  proto,
  port,
}: Omit<PublishedPort, 'port'> & { port: number | 'PORT' }): string =>
  `sallyport ${type} ${/^\w[\w.-]*$/.test(name) ? name : 'NAME'} --port ${port}${proto === 'udp' ? ' --proto udp' : ''}`;

/** Whether a service leads to the host itself; a gateway node's others lead to its network. */
export const isOwnBackend = (
  { isGateway, address }: Pick<OwnNode, 'isGateway' | 'address'>,
  backendHost: string | null | undefined,
): boolean => !isGateway || backendHost === address;

/** What is forwarded by an interface. */
export type Forwarding = {
  /** The gateway's address in the tunnel, where it says one, and this host's. */
  gateway: string | null;
  own: string;
  ports: readonly Port[];
};

/** The table of an interface; no two interfaces share one. */
export const loopbackTable = (name: string): string =>
  `ip sallyport_loopback_${name.replaceAll('_', '__').replaceAll('-', '_d')}`;

/**
 * What nftables reads: the gateway's packets for these ports of the host's own address in the tunnel go to its loopback
 * address. All else that comes in by the tunnel for a loopback address is dropped, also on a connection that was open
 * while its port was forwarded: the interface routes there meanwhile, which it did not before.
 */
export function loopbackRules(name: string, { gateway, own, ports }: Forwarding): string {
  if (gateway === null || !isIPv4(gateway)) throw unusable('gatewayAddress');
  if (!isIPv4(own)) throw unusable('address');
  const table = loopbackTable(name);
  const listed = (['tcp', 'udp'] as const).flatMap((proto) => {
    const numbers = ports.filter((each) => each.proto === proto).map(({ port }) => port);
    return numbers.length === 0 ? [] : [`${proto} dport { ${[...new Set(numbers)].join(', ')} }`];
  });
  const from = `iifname "${name}" ip saddr ${gateway} ip daddr`;
  const forward = listed.map((each) => `${from} ${own} ${each} dnat to ${LOOPBACK};`);
  const accept = listed.map((each) => `${from} ${LOOPBACK} ${each} accept;`);
  const drop = (side: 'saddr' | 'daddr') => `iifname "${name}" ip ${side} 127.0.0.0/8 drop;`;
  return `table ${table} { }; delete table ${table}; table ${table} { \
chain forward { type nat hook prerouting priority -100; ${forward.join(' ')} }; \
chain guard { type filter hook prerouting priority -90; ${[drop('saddr'), ...accept, drop('daddr')].join(' ')} }; }`;
}

/** Reads the forwarded ports out of such rules, as `nft list` prints them; without braces where there is one. */
export const forwardedIn = (text: string): Port[] =>
  [...text.matchAll(/\b(tcp|udp) dport (?:\{ ([\d, ]+) \}|(\d+)) dnat to/g)].flatMap(([, proto, several, one]) =>
    (several ?? one ?? '').split(',').map((port) => portOf(`${proto}/${port.trim()}`)),
  );
