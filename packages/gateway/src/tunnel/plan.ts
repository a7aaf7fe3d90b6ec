import { isIPv4 } from 'node:net';
import { type FirewallNode, type FirewallPlan, renderFirewall } from './render/nftables.ts';
import { attempt, UnquotableError } from '../rules/attempt.ts';
import { isWireguardKey, renderWireguardServer, type WireguardPeer } from './render/wireguardServer.ts';
import type { NodeRow } from '../store/rows.ts';
import { type KeyVault, SealError } from '../vault/keyVault.ts';
import { Secret } from '../vault/secret.ts';
import type { TunnelPlan } from './wireguard/tunnel.ts';
import {
  addressFinder,
  ipv4Network,
  type Network,
  networkOf,
  sharesAddress,
  type VpnSubnet,
  vpnSubnet,
} from '../rules/ipNetwork.ts';

/** What the administrator decided about the tunnel as a whole. */
export type TunnelSettings = Pick<FirewallPlan, 'interface' | 'network' | 'gateway' | 'publicPorts' | 'visitedPort'> & {
  /** UDP. */
  port: number;
  publicKey: string;
  sealedPrivateKey: string;
};

/** What the nodes that are enabled make of the tunnel. */
export type PlannedTunnel = {
  plan: TunnelPlan;
  /** The subnets that are reached through a node, by its id. */
  subnets: ReadonlyMap<number, readonly string[]>;
  /** Why a node, or a subnet of it, is left out, by its id. */
  problems: ReadonlyMap<number, string>;
  /** Those of the addresses `leftBehind` that the plan withholds from the node whose they are now. */
  withheld: readonly string[];
};

type Peer = Omit<WireguardPeer, 'endpoint' | 'presharedKey'> & { presharedKey: Secret };

/**
 * The tunnel as the database wants it. A node whose row is damaged is left out, and no other; where the gateway's own key
 * cannot be opened, the plan still says who is not to be in the tunnel any more.
 * @param leftBehind addresses to which nginx may still connect for the node that had them before; until it has let go of
 *   them no other node is reached there
 */
export function tunnelPlan(
  nodes: readonly NodeRow[],
  settings: TunnelSettings,
  vault: Pick<KeyVault, 'open'>,
  endpoints: ReadonlyMap<string, string>,
  leftBehind: readonly string[] = [],
): PlannedTunnel {
  const own = ownKey(settings, vault);
  const problems = new Map<number, string>();
  const subnets = new Map<number, readonly string[]>();
  const taken = reserved(nodes, settings.network);
  const withheld: string[] = [];
  const leftIn = addressFinder(leftBehind);
  const vpn = vpnSubnet(settings.network);
  const peers: Peer[] = [];
  const firewallNodes: FirewallNode[] = [];
  for (const node of nodes) {
    if (node.isLocal || !node.enabled) continue;
    const found = attempt(
      () => ({ peer: peerOf(node, vault, vpn), ...routedSubnets(node, taken) }),
      (reason) => problems.set(node.id, reason),
    );
    if (found === null) continue;
    const { peer, problem } = found;
    if (problem !== null) problems.set(node.id, problem);
    const held = [node.address, ...found.routed].filter((place) => leftIn(place).length > 0);
    withheld.push(...held.flatMap(leftIn));
    const routed = found.routed.filter((network) => !held.includes(network));
    if (held.length > 0) problems.set(node.id, [problem ?? [], heldProblem(held)].flat().join(' '));
    if (held.includes(node.address)) continue;
    subnets.set(node.id, routed);
    peers.push({ ...peer, allowedIps: [...peer.allowedIps, ...routed] });
    firewallNodes.push({ id: node.id, address: node.address, subnets: routed, allowInternet: node.allowInternet });
  }
  const { interface: name, network, gateway, publicPorts, visitedPort, port } = settings;
  const plan: TunnelPlan = {
    publicKey: settings.publicKey,
    peers: new Map(peers.map(({ publicKey, allowedIps }) => [publicKey, allowedIps])),
    keyProblem: own.problem,
    network,
    gateway,
    port,
    subnets: [...subnets.values()].flat(),
    forwards: firewallNodes.some(({ allowInternet }) => allowInternet),
    endpoints,
    firewall: renderFirewall({
      interface: name,
      network,
      gateway,
      nodes: firewallNodes,
      publicPorts,
      visitedPort,
      port,
    }),
    config: (places) =>
      new Secret(
        renderWireguardServer({
          privateKey: own.key?.reveal() ?? '',
          port,
          peers: peers.map(({ publicKey, presharedKey, allowedIps }) => ({
            publicKey,
            presharedKey: presharedKey.reveal(),
            allowedIps,
            endpoint: places.get(publicKey) ?? null,
          })),
        }),
      ),
  };
  return { plan, subnets, problems, withheld };
}

const heldProblem = (places: readonly string[]): string =>
  `It is not reached at ${places.join(', ')} until nginx has let go of the node that was there before.`;

function ownKey(
  { sealedPrivateKey }: Pick<TunnelSettings, 'sealedPrivateKey'>,
  vault: Pick<KeyVault, 'open'>,
): { key: Secret | null; problem: string | null } {
  try {
    const key = vault.open(sealedPrivateKey);
    return isWireguardKey(key.reveal())
      ? { key, problem: null }
      : { key: null, problem: "The gateway's own key is damaged." };
  } catch (error) {
    const reason = error instanceof SealError ? error.message : 'Its row in the database is damaged.';
    return { key: null, problem: `The gateway's own key cannot be used: ${reason}` };
  }
}

/** @throws {UnquotableError} with the reason */
function peerOf(node: NodeRow, vault: Pick<KeyVault, 'open'>, vpn: VpnSubnet): Peer {
  const { publicKey, sealedPresharedKey, address } = node;
  if (!isWireguardKey(publicKey) || !isIPv4(address)) {
    throw new UnquotableError('Its row in the database is damaged. Delete it, and create it again.');
  }
  // It was made when the tunnel had another network, and its packets would leave by another way than the tunnel.
  if (!vpn.admits(address)) {
    throw new UnquotableError(
      `Its address ${address} is of another network than the tunnel has now. Give it another one and connect its host again, or set SALLYPORT_VPN_SUBNET as it was.`,
    );
  }
  try {
    const presharedKey = vault.open(sealedPresharedKey ?? '');
    if (!isWireguardKey(presharedKey.reveal())) throw new SealError('Its preshared key is damaged.');
    return { publicKey, presharedKey, allowedIps: [`${address}/32`] };
  } catch (error) {
    if (error instanceof SealError) throw new UnquotableError(error.message);
    throw error;
  }
}

/** What lies behind no node: the tunnel's own network, and each node's address, which may be of an earlier one. */
function reserved(nodes: readonly NodeRow[], network: string): Network[] {
  const remote = nodes.filter(({ isLocal, address }) => !isLocal && isIPv4(address));
  const all = [network, ...remote.map(({ address }) => `${address}/32`)].map(networkOf);
  return all.filter((each) => each !== null);
}

/** The subnets of a gateway node that can be routed to it; an address that two nodes claim is the first one's. */
function routedSubnets(node: NodeRow, taken: Network[]): { routed: string[]; problem: string | null } {
  const routed: string[] = [];
  const own: Network[] = [];
  let problem: string | null = null;
  for (const { subnet } of node.isGateway ? (node.gatewayNetworks ?? []) : []) {
    const text = ipv4Network(subnet);
    const network = text === null ? null : networkOf(text);
    if (text === null || network === null)
      problem = `Its subnet ${subnet} is not reached: the tunnel carries IPv4 networks of hosts, of /8 to /32.`;
    else if (taken.some((other) => sharesAddress(other, network)))
      problem = `Its subnet ${subnet} is not reached: another node, or the tunnel itself, has it, too.`;
    else {
      routed.push(text);
      own.push(network);
    }
  }
  taken.push(...own);
  return { routed, problem };
}
