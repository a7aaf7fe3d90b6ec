import { existsSync } from 'node:fs';
import { findProgram } from '../../machine/findProgram.ts';
import { hasNetworkRights } from '../../machine/networkRights.ts';
import type { TunnelStatus } from './tunnel.ts';
import { kernelHasWireguard } from './device.ts';

const TUN = '/dev/net/tun';
const MORE_DIRECTORIES = ['/usr/sbin', '/sbin', '/usr/bin', '/bin'];
const AGAIN = 'then start the gateway again.';

/** Whether this machine can have a tunnel, as far as can be told without making one. */
export async function tunnelMachine(): Promise<TunnelStatus> {
  const no = (reason: string, fix: string): TunnelStatus => ({ available: false, reason, fix });
  if (!hasNetworkRights()) {
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

const hasProgram = (name: string): boolean => findProgram(name, MORE_DIRECTORIES) !== null;
