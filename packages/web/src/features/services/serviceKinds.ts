import type { HttpService, ServiceType, TcpService } from '@sallyport/sdk/contract';

/** A service of either kind. */
export type Service = HttpService | TcpService;

/** What the kinds are called: their calls in the contract, and their card (specification section 2). */
export const serviceKinds = {
  http: { group: 'httpService', title: 'HTTP Services', none: 'No HTTP services yet' },
  tcp: { group: 'tcpService', title: 'TCP Services', none: 'No TCP services yet' },
} as const satisfies Record<ServiceType, object>;

/** Which kind a service is: only a TCP service has a transport of its own. */
export const typeOfService = (service: Service): ServiceType => ('proto' in service ? 'tcp' : 'http');
