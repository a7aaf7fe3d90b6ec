import type { Config } from '../config.ts';
import { unlessUnwritable } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { HostNames } from './hostNames.ts';

/** Where browsers reach the console and the websites of nodes, as far as the settings say it. */
type Addresses = HostNames & Pick<Config, 'listen'> & { ports: { console: number; https: number } };

/**
 * Keeps apart what browsers have of the console and of nodes when settings change. At a port or a name that was the
 * console's, a node's page may be by now, which could use the session there: it ends. At a name by which services of
 * nodes without a domain are reached, their programs stay, so the console never comes there.
 */
export async function rememberAddresses(
  store: Store,
  { listen, ports, hostNames, machineName }: Addresses,
): Promise<void> {
  const address = JSON.stringify([listen, ports.console, ports.https, hostNames]);
  const former = await store.settings.get('consoleAddress');
  const remote = new Set((await store.nodes.all({ isLocal: false })).map(({ id }) => id));
  const nameless = await store.httpServices.all({ domain: null, builtin: false });
  const names = nameless.some(({ nodeId }) => remote.has(nodeId)) ? [...hostNames, machineName] : [];
  if (address === former && names.length === 0) return;
  const kept = store.write(async (tx) => {
    if (former !== null && former !== address) await tx.sessions.endInBrowsers('address-changed');
    await tx.settings.set('consoleAddress', address);
    for (const name of names) await tx.nodeSites.add(name);
  });
  await unlessUnwritable(kept);
}
