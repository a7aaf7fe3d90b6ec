import { hostname, networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import type { Store } from '../store/store.ts';
import { namesWithoutDomain } from '../rules/domainName.ts';
import { unlessUnwritable } from '../store/open.ts';
import type { UnavailableFeature } from '@sallyport/sdk/contract';
import { isLoopbackHost } from '@sallyport/sdk/rules';

/** The names of this gateway. */
export type HostNames = {
  /**
   * By which services without a domain are reached: the name of the settings, or the machine's where that is an address,
   * and the further names of the settings. In lower case.
   */
  hostNames: readonly string[];
  /**
   * The machine's own name, which is no name for nodes to take even where visitors know the gateway by another. Services
   * without a domain answer to it unless a domain has it.
   */
  machineName: string;
};

/**
 * @param further the further names of the settings
 * @param machine the name of the machine
 */
export function hostNamesOf(
  { host }: Pick<Config['vpn'], 'host'>,
  further: Config['hostNames'],
  machine = hostname(),
): HostNames {
  const machineName = machine.toLowerCase();
  const first = isIP(host) === 0 ? host.toLowerCase() : machineName;
  return { hostNames: [...new Set([first, ...further])], machineName };
}

/**
 * Says under which names services without a domain are reached, when those have changed since the last start. An older
 * gateway answered under every name, so its first start with this version counts as a change.
 */
export async function tellHostNames(
  store: Store,
  hostNames: HostNames,
  log: { warn(facts: object, message: string): void },
): Promise<void> {
  const names = namesWithoutDomain(hostNames);
  const said = JSON.stringify(names);
  if ((await store.settings.get('hostNames')) === said) return;
  const services = await store.httpServices.all({ domain: null, builtin: false });
  if (services.length > 0) {
    const message =
      'services without a domain answer to these names and to addresses alone; SALLYPORT_HOST_NAMES adds further names of this gateway';
    log.warn({ names }, message);
  }
  await unlessUnwritable(store.write((tx) => tx.settings.set('hostNames', said)));
}

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
