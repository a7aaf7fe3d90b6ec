import { isIP } from 'node:net';
import type { Resolution } from './backendNames.ts';
import { overlaps } from '../rules/ipNetwork.ts';
import type { TunnelView } from '../tunnel/reconcile.ts';
import type { NodeRow } from '../store/rows.ts';

/**
 * Where a service of a node behind the tunnel is: at the node itself, or at a host of a subnet behind it, which is only
 * reached from the tunnel's own address: the same subnet may be elsewhere as well.
 */
export function remoteBackend(
  backendHost: unknown,
  node: NodeRow,
  tunnel: TunnelView,
): Resolution & { sourceAddress?: string } {
  // Without the tunnel a packet for the node's address would leave by the wrong way.
  if (!tunnel.status.available) {
    const { reason, fix } = tunnel.status;
    return { problem: `The tunnel is off, so the nodes behind it cannot be reached. ${reason} ${fix}` };
  }
  const subnets = tunnel.subnets.get(node.id);
  if (subnets === undefined) {
    return { problem: `Its node ${node.name} is not in the tunnel. ${tunnel.problems.get(node.id) ?? ''}`.trim() };
  }
  if (!node.isGateway) return { addresses: [node.address] };
  if (typeof backendHost !== 'string') return { problem: 'It has no backend host. Give the address of its backend.' };
  if (isIP(backendHost) === 0) {
    return {
      problem: `The name ${backendHost} cannot be looked up from here, behind its node ${node.name}. Give the address of the backend; the node itself has ${node.address}.`,
    };
  }
  if (backendHost === node.address) return { addresses: [backendHost] };
  // Anything else would leave by another way than the tunnel.
  if (!subnets.some((subnet) => overlaps(subnet, backendHost))) {
    return {
      problem:
        `${backendHost} is not behind its node ${node.name}, which leads to ${subnets.join(', ') || 'no subnet'}. ${tunnel.problems.get(node.id) ?? ''}`.trim(),
    };
  }
  return { addresses: [backendHost], sourceAddress: tunnel.gateway };
}
