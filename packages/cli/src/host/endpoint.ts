import { isIP } from 'node:net';
import type { WgConfig } from '@sallyport/sdk/contract';
import { isLoopbackHost } from '@sallyport/sdk/rules';

type Endpoint = WgConfig['peer']['endpoint'];

/** What is known when the end of a tunnel is chosen. */
export type EndpointParts = {
  /** Where the gateway says that its tunnel ends. */
  endpoint: Endpoint;
  /** The address by which this host reaches the gateway. */
  url: string;
  /** The file of the tunnel that is there; null: none. */
  present: string | null;
  /** Whether this machine finds an address for a name. */
  resolves: (host: string) => Promise<boolean>;
};

/** A host cannot reach a gateway there: that is the host itself, or no address of a machine. */
const leadsNowhere = (host: string): boolean => isLoopbackHost(host) || ['0.0.0.0', '::', '[::]'].includes(host);
const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/**
 * Where the tunnel of this host leads. A gateway that was never told its public name says the bare host name of its machine,
 * or a loopback address; the host by which its API was reached is a better guess then, and where a name leads nowhere.
 */
export async function endpointOf({ endpoint, url, present, resolves }: EndpointParts): Promise<Endpoint> {
  const { host } = endpoint;
  const reached = new URL(url).hostname.replace(/^\[|\]$/g, '');
  // On the gateway's own machine, or through a forwarded port, the address of the API tells nothing.
  if (reached === host || leadsNowhere(reached)) return endpoint;
  if (!leadsNowhere(host)) {
    if (isAddress(host)) return endpoint;
    // A tunnel that runs is not led elsewhere because a name server is away for a moment.
    const isUsed = present?.includes(`\nEndpoint = ${host}:${endpoint.port}\n`) === true;
    if (host.includes('.') && (isUsed || (await resolves(host)))) return endpoint;
  }
  return { ...endpoint, host: reached };
}
