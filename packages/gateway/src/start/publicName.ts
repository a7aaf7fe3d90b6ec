import { networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import type { UnavailableFeature } from '@sallyport/sdk/contract';
import { isLoopbackHost } from '@sallyport/sdk/rules';
import type { Config } from '../config.ts';

/** What stands for all addresses of a machine, and is none by which another one reaches it. */
const UNSPECIFIED: readonly string[] = ['0.0.0.0', '::'];

/**
 * Says that other machines cannot be told how to reach this gateway: by a loopback address never, and by the machine's
 * own host name without a domain only where their DNS has it. Null: all is well.
 */
export function publicNameProblem(
  { host, isHostGiven, interface: tunnel }: Pick<Config['vpn'], 'host' | 'isHostGiven' | 'interface'>,
  ownAddress: string | null = firstAddress(tunnel),
): UnavailableFeature | null {
  const isLoopback = isLoopbackHost(host) || UNSPECIFIED.includes(host);
  const isBare = isIP(host) === 0 && !host.includes('.');
  // A name that was chosen is known where it is to be used.
  if (!isLoopback && !(isBare && !isHostGiven)) return null;
  return {
    feature: 'publicName',
    reason: isLoopback
      ? `Hosts are told to reach this gateway at ${host}, which is their own machine.`
      : `Hosts are told to reach this gateway as "${host}", a name that other machines may not know.`,
    fix: `Set SALLYPORT_VPN_HOST to the name or address by which they reach it${ownAddress === null ? '' : ` (this machine has the address ${ownAddress})`}, then start the gateway again.`,
  };
}

/** The first address by which other machines may reach this one. */
function firstAddress(tunnel: string): string | null {
  const others = Object.entries(networkInterfaces()).filter(([name]) => name !== tunnel);
  const all = others.flatMap(([, addresses]) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null;
}
