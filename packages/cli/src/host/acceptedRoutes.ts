import { BlockList } from 'node:net';
import type { WgConfig } from '@sallyport/sdk/contract';
import { parseNetwork } from '@sallyport/sdk/contract';
import { Failure } from '../failure.ts';

const EVERYWHERE: readonly string[] = ['0.0.0.0/0', '::/0'];
/** What no machine of the internet has; 198.18.0.0/15 is for networks under test. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', 'fc00::/7'];

/** The gateway wants all traffic of this host, and this host has not agreed to that. */
export class InternetNotAllowed extends Failure {
  constructor() {
    super(
      'failed',
      'The gateway wants to carry all internet traffic of this host, and this host has not agreed to that. Nothing was changed.',
      "If that is wanted, run `sudo sallyport connect --allow-internet`; if not, have the administrator turn off the node's internet traffic.",
    );
  }
}

/** What is known when the routes of a tunnel are checked. */
export type RouteParts = {
  wg: Pick<WgConfig, 'address'> & { peer: Pick<WgConfig['peer'], 'allowedIPs'> };
  /** Whether this host has agreed to send all its internet traffic through the gateway. */
  allowInternet: boolean;
  /** The networks that this host is in, without that of the tunnel. */
  ownNetworks: readonly string[];
};

/**
 * Refuses routes by which a gateway would take traffic that was never meant for its tunnel: that to the internet, unless
 * the host has agreed, and that to the host's own networks always.
 * @throws {Failure} with what the gateway wants, and what to do
 */
export function checkRoutes({ wg, allowInternet, ownNetworks }: RouteParts): void {
  const { allowedIPs } = wg.peer;
  const routes = (typeof allowedIPs === 'string' ? allowedIPs.split(',') : allowedIPs).map((each) => each.trim());
  // The network of an address becomes a route as well.
  for (const route of [wg.address, ...routes]) {
    if (route === '' || parseNetwork(route) === null) continue;
    if (EVERYWHERE.includes(route)) {
      if (!allowInternet) throw new InternetNotAllowed();
      continue;
    }
    if (!PRIVATE.some((network) => isWithin(route, network))) {
      throw refused(`${route}, which is not a private network`);
    }
    const own = ownNetworks.find((network) => isWithin(route, network) || isWithin(network, route));
    if (own !== undefined) throw refused(`${route}, which overlaps ${own}, a network that this host is in`);
  }
}

const refused = (what: string) =>
  new Failure(
    'failed',
    `The gateway wants to carry this host's traffic to ${what}. Nothing was changed.`,
    'SALLYPORT_VPN_SUBNET on the gateway sets the network of its tunnel: it has to be a private one that no host is in already.',
  );

/** Whether all addresses of one network are in another one. */
function isWithin(network: string, other: string): boolean {
  const [inner, outer] = [parseNetwork(network), parseNetwork(other)];
  if (inner === null || outer === null || inner.family !== outer.family) return false;
  const longest = inner.family === 4 ? 32 : 128;
  const outerPrefix = outer.prefix ?? longest;
  if ((inner.prefix ?? longest) < outerPrefix) return false;
  const family = inner.family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(outer.address, outerPrefix, family);
  return list.check(inner.address, family);
}
