import { useRead } from '../../data/read.ts';
import type { Service } from './serviceKinds.ts';

/** Where a service's visitors are led. The node is asked for its address where a plain node is the backend and its page is not at hand. */
export function useBackendTarget(service: Service, nodeAddress: string | null): string {
  const isUnknown = service.backendHost === null && nodeAddress === null;
  const { data: node } = useRead('node.get', { params: { id: service.nodeId } }, { enabled: isUnknown });
  return backendTarget(service, nodeAddress ?? node?.address ?? null);
}

/** Where a service's visitors are led. `nodeAddress` stands in for a backend host that is not named; null: it is not known (yet). */
function backendTarget(service: Service, nodeAddress: string | null): string {
  const scheme = 'proto' in service ? service.proto : service.backendProto;
  const host = service.backendHost ?? nodeAddress ?? 'its node';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${service.backendPort}`;
}
