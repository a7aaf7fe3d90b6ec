import type { BackendTarget } from '../health/backendHealth.ts';
import type { Problems } from './findings.ts';
import type { OpenServices } from './openServices.ts';

/**
 * The backends to be asked whether they answer: those of all open services that nginx may reach.
 * @param nodeUnreachable why nothing gets to a node at the moment; null when it does
 */
export function backendTargets(
  open: OpenServices,
  problems: Problems,
  nodeUnreachable: (nodeId: number) => string | null,
): BackendTarget[] {
  return [...open].map(([key, { kind, id, version, row, proto, addresses, sourceAddress }]) => ({
    kind,
    id,
    version,
    proto,
    addresses,
    sourceAddress,
    port: row.backendPort,
    serverName: row.domain,
    unreachable: addresses.length > 0 ? nodeUnreachable(row.nodeId) : (problems.get(key) ?? null),
  }));
}
