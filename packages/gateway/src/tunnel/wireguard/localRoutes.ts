import { existsSync, readFileSync } from 'node:fs';
import type { LocalRoute } from '../../world.ts';
import { overlaps } from '../../rules/ipNetwork.ts';

/** The main table of IPv4 routes as the kernel writes it. */
export const ROUTES_FILE = '/proc/self/net/route';
/** Never in the main table, and nobody else's. */
const LOOPBACK: LocalRoute = { network: '127.0.0.0/8', device: 'lo' };
const HEX_CHARS_A_BYTE = 2;

/**
 * The networks to which this machine sends packets by itself, but for the default route and what goes into the tunnel.
 * @param tunnel the name of the tunnel's interface
 */
export const localRoutes = (tunnel: string): LocalRoute[] => [
  LOOPBACK,
  ...kernelRoutes().filter(({ device }) => device !== tunnel),
];

/** All routes of IPv4 but the default one. Where there is no such file (it is Linux's), nothing is known. */
const kernelRoutes = (): LocalRoute[] =>
  existsSync(ROUTES_FILE) ? parseRoutes(readFileSync(ROUTES_FILE, 'utf8')) : [];

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
