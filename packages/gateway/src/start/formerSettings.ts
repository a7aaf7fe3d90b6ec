import type { Config } from '../config.ts';
import { isOwnName, namesWithoutDomain } from '../rules/domainName.ts';
import { unlessUnwritable } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { HostNames } from './hostNames.ts';

/** The settings with which sessions end. */
type Settings = HostNames &
  Pick<Config, 'listen'> & {
    ports: { console: number; https: number };
    /** Where visitors sign in; null: nowhere. */
    provider: Pick<Config['oidc'], 'issuer' | 'clientId'>;
  };

/**
 * Ends the sessions that belong to settings of before. At a port or a name that was the console's, a page of a node may
 * be by now, which could use what browsers keep there.
 *
 * At a name by which services of nodes without a domain are reached, their programs stay, so the console never comes there.
 */
export async function leaveFormerSettings(
  store: Store,
  { listen, ports, hostNames, machineName, provider }: Settings,
): Promise<void> {
  const address = JSON.stringify([listen, ports.console, ports.https, hostNames]);
  // On a domain that has become a name of the gateway a service is served as one without a domain.
  const isNameless = (domain: string | null): boolean => domain === null || isOwnName(domain, hostNames);
  const kept = store.write(async (tx) => {
    if (await isChanged(tx, 'consoleAddress', address)) await tx.sessions.endInBrowsers('address-changed');
    await leaveFormerProvider(tx, provider);
    const remote = new Set((await tx.nodes.all({ isLocal: false })).map(({ id }) => id));
    const services = (await tx.httpServices.all()).filter(({ domain }) => isNameless(domain));
    if (services.some(({ nodeId }) => remote.has(nodeId))) {
      for (const name of namesWithoutDomain({ hostNames, machineName }))
        await tx.formerNames.add({ name, usedBy: 'node' });
    }
    // With the next settings it would be back where pages of nodes were meanwhile.
    for (const { id, builtin, domain } of services) {
      if (builtin && domain !== null) await tx.httpServices.update(id, { domain: null });
    }
    // Browsers would send their cookies to the TLS ports that answer by the gateway's names.
    for (const { id, domain } of await tx.domains.all()) {
      if (isNameless(domain)) await tx.visitorSessions.removeOfDomain(id);
    }
  });
  await unlessUnwritable(kept);
}

/** Who signed in at another provider is not known to this one. */
export async function leaveFormerProvider(tx: Transaction, { issuer, clientId }: Settings['provider']): Promise<void> {
  if (await isChanged(tx, 'provider', JSON.stringify([issuer, clientId]))) await tx.visitorSessions.removeAll();
}

async function isChanged(
  { settings }: Pick<Transaction, 'settings'>,
  key: 'consoleAddress' | 'provider',
  now: string,
): Promise<boolean> {
  const former = await settings.get(key);
  if (former !== now) await settings.set(key, now);
  return former !== null && former !== now;
}
