import type { Service } from './serviceKinds.ts';

/** Where a service's visitors are led. `nodeAddress` stands in for a backend host that is not named; null: it is not known (yet). */
export function backendTarget(service: Service, nodeAddress: string | null): string {
  const scheme = 'proto' in service ? service.proto : service.backendProto;
  const host = service.backendHost ?? nodeAddress ?? 'its node';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${service.backendPort}`;
}
