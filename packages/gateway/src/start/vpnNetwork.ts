import { ipv4Network, vpnSubnet } from '../rules/ipNetwork.ts';
import { StartError } from '../machine/startError.ts';
import type { LocalRoute } from '../world.ts';
import { overlapping } from '../tunnel/wireguard/localRoutes.ts';

/** The network of the tunnel, and the gateway's own address in it. */
export type VpnNetwork = { network: string; gateway: string };

/**
 * Checks the network of the tunnel against those that this machine reaches already: it would take their packets away.
 * @throws {StartError} when it shares an address with one of them, or is none that can be routed
 */
export function vpnNetwork(subnet: string, routes: readonly LocalRoute[]): VpnNetwork {
  const network = ipv4Network(subnet);
  if (network === null) {
    throw new StartError(`SALLYPORT_VPN_SUBNET ${subnet} cannot be a network of nodes. Choose one like 10.88.0.0/16.`);
  }
  const route = overlapping(network, routes);
  if (route !== null) {
    throw new StartError(
      `SALLYPORT_VPN_SUBNET ${subnet} overlaps ${route.network}, which this machine reaches through ${route.device}. Choose another network with SALLYPORT_VPN_SUBNET, or turn the tunnel off with SALLYPORT_TUNNEL=off.`,
    );
  }
  return { network, gateway: vpnSubnet(network).gateway };
}
