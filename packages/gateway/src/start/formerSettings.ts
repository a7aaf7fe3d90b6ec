import type { Config } from '../config.ts';
import { isOwnName } from '../rules/domainName.ts';
import { unlessUnwritable } from '../store/open.ts';
import type { Store } from '../store/store.ts';
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
 * be by now, which could use what browsers keep there. Who signed in at another provider is not known to this one.
 *
 * At a name by which services of nodes without a domain are reached, their programs stay, so the console never comes there.
 */
export async function leaveFormerSettings(
  store: Store,
  { listen, ports, hostNames, machineName, provider: { issuer, clientId } }: Settings,
): Promise<void> {
  const address = JSON.stringify([listen, ports.console, ports.https, hostNames]);
  const provider = JSON.stringify([issuer, clientId]);
  const former = {
    address: await store.settings.get('consoleAddress'),
    provider: await store.settings.get('provider'),
  };
  const remote = new Set((await store.nodes.all({ isLocal: false })).map(({ id }) => id));
  // On a domain that has become a name of the gateway a service is served as one without a domain.
  const isNameless = (domain: string | null): boolean => domain === null || isOwnName(domain, hostNames);
  const services = await store.httpServices.all();
  const isServed = services.some(({ nodeId, domain }) => remote.has(nodeId) && isNameless(domain));
  const names = isServed ? [...hostNames, machineName] : [];
  const strayed = services.filter(({ builtin, domain }) => builtin && domain !== null && isNameless(domain));
  if (address === former.address && provider === former.provider && names.length + strayed.length === 0) return;
  const kept = store.write(async (tx) => {
    if (former.address !== null && former.address !== address) await tx.sessions.endInBrowsers('address-changed');
    if (former.provider !== null && former.provider !== provider) await tx.visitorSessions.removeAll();
    await tx.settings.set('consoleAddress', address);
    await tx.settings.set('provider', provider);
    for (const name of names) await tx.nodeSites.add(name);
    // With the next settings it would be back where pages of nodes were meanwhile.
    for (const { id } of strayed) await tx.httpServices.update(id, { domain: null });
  });
  await unlessUnwritable(kept);
}
