import { type HttpService, SERVICE_PAGE_SIZE, type ServiceType, type TcpService } from '@sallyport/sdk/contract';
import type { ListKind } from '../../state/listView.ts';

/** A service of either kind. */
export type Service = HttpService | TcpService;

/** What the kinds are called: their calls in the contract, and their card. */
export const serviceKinds = {
  http: { group: 'httpService', title: 'HTTP Services', what: 'HTTP services', none: 'No HTTP services yet' },
  tcp: { group: 'tcpService', title: 'TCP Services', what: 'TCP services', none: 'No TCP services yet' },
} as const satisfies Record<ServiceType, object>;

const columns = ['name', 'domain'] as const;

/** What services can be ordered by: their name, and where they are reached. */
export type ServiceColumn = (typeof columns)[number];

/** A list of services. Several domains may be unfolded at once: each has words of its own in the address. */
export const servicesList = (type: ServiceType, domainId: number | undefined): ListKind<ServiceColumn> => ({
  name: `${type}${domainId ?? ''}`,
  columns,
  size: SERVICE_PAGE_SIZE,
});

/** Which kind a service is: only a TCP service has a transport of its own. */
export const typeOfService = (service: Service): ServiceType => ('proto' in service ? 'tcp' : 'http');

/** Why visitors do not get what they came for, in a sentence; null when nothing is known to be wrong. */
export function serviceTrouble({
  enabled,
  closedBy,
  problem,
  health,
  healthReason,
}: Pick<Service, 'enabled' | 'closedBy' | 'problem' | 'health' | 'healthReason'>): string | null {
  // That is shown next to it, at the reader's own time of day.
  if (closedBy === 'time-limit') return null;
  if (problem) return problem;
  if (!enabled || health !== 'down') return null;
  return healthReason ?? 'The backend does not answer.';
}
