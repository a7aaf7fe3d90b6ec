import { BlockList } from 'node:net';
import type { WgConfig } from '@sallyport/sdk/contract';
import { parseNetwork } from '@sallyport/sdk/contract';
import { Failure } from '../failure.ts';
import type { HostConfig } from './hostConfig.ts';
import { unusable } from './tunnelText.ts';
import type { UsedNetwork } from './networks.ts';

/** All of the internet. */
export const EVERYWHERE: readonly string[] = ['0.0.0.0/0', '::/0'];
/** What no machine of the internet has; 198.18.0.0/15 is for networks under test. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', 'fc00::/7'];

/** The gateway wants traffic of this host that this host has not agreed to. */
export class ConsentNeeded extends Failure {
  /** What to ask the user, and what a yes adds to the host's configuration. */
  readonly question: string;
  readonly consent: Pick<HostConfig, 'allowInternet' | 'allowNetworks'>;

  constructor(wanted: string, next: string, consent: ConsentNeeded['consent']) {
    super(
      'failed',
      `The gateway wants to carry ${wanted}, and this host has not agreed to that. Nothing was changed.`,
      next,
    );
    this.question = `the gateway wants to carry ${wanted}. Let it`;
    this.consent = consent;
  }
}

/** What is known when the routes of a tunnel are checked. */
export type RouteParts = {
  wg: Pick<WgConfig, 'address'> & { peer: Pick<WgConfig['peer'], 'allowedIPs'> };
  /** Whether this host has agreed to send all its internet traffic through the gateway. */
  allowInternet: boolean;
  /** The networks that this host has agreed to; empty before the first. */
  allowNetworks: readonly string[];
  /** The networks that this host is in, without that of the tunnel. */
  ownNetworks: readonly string[];
  /** What else it uses. */
  usedNetworks: () => Promise<UsedNetwork[]>;
};

/**
 * Refuses routes by which a gateway would take traffic that was never meant for its tunnel. The first network of the tunnel is
 * accepted when this host belongs to it and uses nothing in it; from then on only that one, unless the host agrees to others.
 * Networks of the internet and those that the host is in are refused always.
 * @returns the networks that the host has agreed to by now
 * @throws {Failure} with what the gateway wants, and what to do
 */
export async function checkRoutes(parts: RouteParts): Promise<string[]> {
  const { wg, allowInternet, allowNetworks, ownNetworks } = parts;
  if (parseNetwork(wg.address) === null) throw unusable('address');
  const routes = routesOf(wg);
  const routed = routes.filter((route) => !EVERYWHERE.includes(route));
  const wantsInternet = routed.length < routes.length;
  // What is sent to the host's own address stays on the host, so that must not be anybody else's.
  const isPlaced = routed.some((route) => isWithin(wg.address, route));
  const networks = isPlaced ? routed : [...routed, wg.address];
  for (const network of [wg.address, ...networks]) {
    if (!isPrivate(network)) throw refused(`${network}, which is not a private network`);
    const own = ownNetworks.find((each) => overlap(network, each));
    if (own !== undefined) throw refused(`${network}, which overlaps ${own}, a network that this host is in`);
  }
  const isAgreed = (network: string) =>
    allowNetworks.some((each) => each === network || (network === wg.address && isWithin(network, each)));
  const news = networks.filter((network) => !isAgreed(network));
  const reason = news.length === 0 ? null : await reasonAgainst(news, parts);
  if (reason !== null) {
    throw new ConsentNeeded(
      `this host's traffic to ${reason}`,
      `If that is wanted, run \`sudo sallyport connect --allow-networks ${networks.join(',')}\`; if not, see what SALLYPORT_VPN_SUBNET is on the gateway, and who changed it.`,
      { allowNetworks: networks },
    );
  }
  if (wantsInternet && !allowInternet) {
    throw new ConsentNeeded(
      'all internet traffic of this host',
      "If that is wanted, run `sudo sallyport connect --allow-internet`; if not, have the administrator turn off the node's internet traffic.",
      { allowInternet: true },
    );
  }
  return routed.length === 0 && news.length === 0 ? [...allowNetworks] : networks;
}

/**
 * The gateway's own address in the tunnel, where it says one. This host opens ports for it, at the node's address.
 * @throws {Failure} when that is not the tunnel's, or the gateway's is none that the tunnel leads to
 */
export function gatewayAddressIn(
  node: { address: string },
  wg: RouteParts['wg'] & Pick<WgConfig, 'gatewayAddress'>,
): string | null {
  const { gatewayAddress } = wg;
  if (parseNetwork(wg.address)?.address !== node.address) throw unusable('address');
  if (gatewayAddress === undefined) return null;
  // It becomes an argument of a program.
  if (parseNetwork(gatewayAddress)?.prefix !== null) throw unusable('gatewayAddress');
  if (!routesOf(wg).some((route) => isWithin(gatewayAddress, route))) throw unusable('gatewayAddress');
  return gatewayAddress;
}

const routesOf = ({ peer: { allowedIPs } }: RouteParts['wg']): string[] =>
  (typeof allowedIPs === 'string' ? allowedIPs.split(',') : allowedIPs)
    .map((each) => each.trim())
    .filter((each) => parseNetwork(each) !== null);

/** Why networks that this host has not agreed to are not accepted unasked; null: they are. */
async function reasonAgainst(
  news: readonly string[],
  { wg, allowNetworks, usedNetworks }: RouteParts,
): Promise<string | null> {
  // With all internet traffic, the host's own address is all that was agreed to at first.
  if (allowNetworks.some((each) => each !== wg.address)) {
    return `${news.join(', ')} in addition to ${allowNetworks.join(', ')}`;
  }
  const foreign = news.find((network) => !isWithin(wg.address, network));
  if (foreign !== undefined) return `${foreign}, which is not the network of the tunnel`;
  const used = (await usedNetworks()).filter(({ network }) => isPrivate(network));
  for (const network of news) {
    const found = used.find((each) => overlap(network, each.network));
    if (found !== undefined) return `${network}, which overlaps ${found.network}, ${found.use}`;
  }
  return null;
}

const isPrivate = (network: string): boolean => PRIVATE.some((each) => isWithin(network, each));

const overlap = (one: string, other: string): boolean => isWithin(one, other) || isWithin(other, one);

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
