import { existsSync, readFileSync } from 'node:fs';
import type { LocalRoute, UsedAddress } from '../../world.ts';
import { ipv4Network, overlaps, vpnSubnet } from '../../rules/ipNetwork.ts';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { StartError } from '../../machine/startError.ts';

/** The main table of IPv4 routes as the kernel writes it. */
export const ROUTES_FILE = '/proc/self/net/route';
/** Never in the main table, and no one else's. */
const LOOPBACK: LocalRoute = { network: '127.0.0.0/8', device: 'lo' };
const HEX_CHARS_A_BYTE = 2;

/**
 * The networks to which this machine sends packets by itself, but for the default route and what goes into the tunnel.
 * @param tunnel the name of the tunnel's interface
 */
export const localRoutes = (tunnel: string): LocalRoute[] => [
  LOOPBACK,
  ...parseRoutes(textOf(ROUTES_FILE)).filter(({ device }) => device !== tunnel),
];

/** Reads the main table as the kernel writes it: addresses in hexadecimal, the last byte first. */
export function parseRoutes(text: string): LocalRoute[] {
  return kernelRouteLines(text).flatMap(({ device, destination, mask }): LocalRoute[] => {
    const [network, bits] = [bytesOf(destination), bytesOf(mask)];
    // What leads nowhere (`*`) is what the tunnel leaves behind it.
    if (network === null || bits === null || device === '*') return [];
    const prefix = bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
    return prefix === 0 ? [] : [{ network: `${network.join('.')}/${prefix}`, device }];
  });
}

/** The columns of the kernel's table; addresses as it writes them. */
export const kernelRouteLines = (
  text: string,
): { device: string; destination: string; gateway: string; mask: string }[] =>
  text
    .split('\n')
    .slice(1)
    .map((line) => {
      const [device = '', destination = '', gateway = '', , , , , mask = ''] = line.split('\t');
      return { device, destination, gateway, mask };
    });

/** An address as the kernel writes it; null when it is none. */
export const addressOfHex = (hex: string): string | null => bytesOf(hex)?.join('.') ?? null;

/** The first route that shares an address with an IPv4 network; null when none does. */
export const overlapping = (network: string, routes: readonly LocalRoute[]): LocalRoute | null =>
  routes.find((route) => overlaps(route.network, network)) ?? null;

function bytesOf(hex: string): number[] | null {
  if (!/^[0-9A-F]{8}$/i.test(hex)) return null;
  const bytes = [0, 1, 2, 3].map((index) => hex.slice(index * HEX_CHARS_A_BYTE, (index + 1) * HEX_CHARS_A_BYTE));
  return bytes.map((byte) => Number.parseInt(byte, 16)).toReversed();
}

/** Where programs look for DNS servers, and where systemd keeps those that its own resolver on loopback asks. */
const RESOLVER_FILES = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/**
 * The IPv4 addresses that this machine cannot do without: its own, its routers and its DNS servers. No subnet
 * behind a node contains one of them.
 * @param tunnel the name of the tunnel's interface
 */
export function usedAddresses(tunnel: string): UsedAddress[] {
  const own = Object.entries(networkInterfaces()).flatMap(([name, all]) =>
    (all ?? []).flatMap(({ family, address }) =>
      name !== tunnel && family === 'IPv4' ? [{ address, use: `the address of ${name}` }] : [],
    ),
  );
  const routers = routersIn(textOf(ROUTES_FILE)).flatMap(({ address, device }) =>
    device === tunnel ? [] : [{ address, use: `the router at ${device}` }],
  );
  const nameServers = new Set(RESOLVER_FILES.map(textOf).flatMap(nameServersIn));
  return [...own, ...routers, ...[...nameServers].map((address) => ({ address, use: 'a DNS server of this machine' }))];
}

/** The IPv4 addresses of DNS servers in the text of a resolv.conf; those on the machine itself ask others. */
export const nameServersIn = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const [word, address = ''] = line.trim().split(/\s+/);
    return word === 'nameserver' && isIPv4(address) && !address.startsWith('127.') ? [address] : [];
  });

/** The next hops in the kernel's table of routes, with the interfaces that lead to them. */
export const routersIn = (text: string): { address: string; device: string }[] =>
  kernelRouteLines(text).flatMap(({ device, gateway }) => {
    const address = addressOfHex(gateway);
    return address === null || address === '0.0.0.0' ? [] : [{ address, device }];
  });

/** Where there is no such file, nothing is known: some are Linux's alone. */
const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** The network of the tunnel, and the gateway's own address in it. */
export type VpnNetwork = { network: string; gateway: string };

/**
 * Checks the network of the tunnel against those that this machine reaches already: it would take their packets away.
 * @throws {StartError} when it shares an address with one of them, or is none that can be routed
 */
export function vpnNetwork(subnet: string, routes: readonly LocalRoute[]): VpnNetwork {
  const network = ipv4Network(subnet);
  if (network === null) {
    throw new StartError(`SALLYPORT_VPN_SUBNET ${subnet} cannot be a network of nodes. Choose one like 10.88.0.0/16.`);
  }
  const route = overlapping(network, routes);
  if (route !== null) {
    throw new StartError(
      `SALLYPORT_VPN_SUBNET ${subnet} overlaps ${route.network}, which this machine reaches through ${route.device}. Choose another network with SALLYPORT_VPN_SUBNET, or turn the tunnel off with SALLYPORT_TUNNEL=off.`,
    );
  }
  return { network, gateway: vpnSubnet(network).gateway };
}
