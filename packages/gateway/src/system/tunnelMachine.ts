import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TunnelStatus } from './tunnel.ts';
import { kernelHasWireguard } from './wireguardDevice.ts';

/** A network that this machine reaches through an interface of its own. */
export type LocalRoute = { interface: string; first: number; last: number; network: string };

const CAP_NET_ADMIN = 12n;
const TUN = '/dev/net/tun';
const AGAIN = 'then start the gateway again.';

/** Whether this machine can have a tunnel, as far as can be told without making one. */
export async function tunnelMachine(): Promise<TunnelStatus> {
  const no = (reason: string, remedy: string): TunnelStatus => ({ available: false, reason, remedy });
  const rights = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  if ((BigInt(`0x${rights}`) & (1n << CAP_NET_ADMIN)) === 0n) {
    return process.getuid?.() === 0
      ? no(
          'This container may not set up network interfaces.',
          'Start it with --cap-add=NET_ADMIN --device=/dev/net/tun.',
        )
      : no('Only root can set up network interfaces.', 'Run the gateway as root: sudo npm start.');
  }
  const needs = { wg: 'wireguard-tools', nft: 'nftables', ip: 'iproute2' };
  const missing = Object.entries(needs).filter(([program]) => !hasProgram(program));
  const inUserspace = hasProgram('wireguard-go') && existsSync(TUN);
  const hasWireguard = inUserspace || (hasProgram('ip') && (await kernelHasWireguard()));
  const packages = missing.map(([, name]) => name);
  if (!hasWireguard && !hasProgram('wireguard-go')) packages.push('wireguard-go');
  if (packages.length > 0) {
    return no(
      `This machine lacks ${packages.join(', ')}.`,
      `Run apt-get install --no-install-recommends ${packages.join(' ')}, ${AGAIN}`,
    );
  }
  if (!hasWireguard) return no(`This machine has no ${TUN}.`, `Start the container with --device=${TUN}.`);
  return { available: true };
}

/** The networks that this machine reaches by itself: neither the default route nor those of this interface. */
export function localRoutes(ownInterface: string): LocalRoute[] {
  return readRoutes(readFileSync('/proc/self/net/route', 'utf8')).filter((route) => route.interface !== ownInterface);
}

/** Reads the kernel's table of IPv4 routes; those that lead nowhere are named `*` and left out. */
export function readRoutes(table: string): LocalRoute[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [name, destination, , , , , , mask] = line.trim().split(/\s+/);
      if (name === undefined || name === '*' || destination === undefined || mask === undefined) return [];
      const bits = swapped(mask);
      if (bits === 0) return [];
      const first = swapped(destination);
      const size = 2 ** 32 - bits;
      const prefix = 32 - Math.log2(size);
      return { interface: name, first, last: first + size - 1, network: `${toText(first)}/${prefix}` };
    });
}

/** The first route that shares an address with an IPv4 network; null when none does. */
export function overlapping(network: string, routes: readonly LocalRoute[]): LocalRoute | null {
  const [address = '', prefix = '32'] = network.split('/');
  const size = 2 ** (32 - Number(prefix));
  const given = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const first = Math.floor(given / size) * size;
  return routes.find((route) => route.first <= first + size - 1 && first <= route.last) ?? null;
}

/** Little-endian hexadecimal, as the kernel prints it. */
const swapped = (hex: string): number => Buffer.from(hex.padStart(8, '0'), 'hex').readUInt32LE();

const toText = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

function hasProgram(name: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin', '/usr/bin', '/bin'];
  return folders.filter(Boolean).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
