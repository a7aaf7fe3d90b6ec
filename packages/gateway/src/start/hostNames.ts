import { hostname } from 'node:os';
import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import type { Store } from '../store/store.ts';
import { namesWithoutDomain } from '../rules/domainName.ts';
import { unlessUnwritable } from '../store/open.ts';

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
