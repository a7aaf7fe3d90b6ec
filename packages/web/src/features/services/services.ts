import { queryKey } from '@sallyport/sdk';
import {
  type Domain,
  type HttpService,
  type Node,
  type Page,
  SERVICE_PAGE_SIZE,
  type ServiceType,
  type TcpService,
} from '@sallyport/sdk/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useConnection } from '../../data/connection.ts';
import { useRead } from '../../data/queries.ts';
import { useStream } from '../../data/useStream.ts';
import { useAfter } from '../../state/browser.ts';
import type { ListKind, ListViewQuery } from '../../state/listView.ts';

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
  tagged: true,
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

/** How often the services of a domain are read again. */
const REREAD_MS = 10_000;
/** The first message of a stream is the page itself. It is asked for where that fails or does not come in this time, and from then on. */
const STREAM_FIRST_MS = 1000;

/** Whose services: a node's, or a domain's. */
export type ServicesOf = { node: Node; domain?: never } | { node?: never; domain: Pick<Domain, 'id' | 'domain'> };

/**
 * A page of services of a kind that stays up to date, their health included. A node's page is streamed: each message
 * replaces what the cache holds. Domains unfold by the dozen, so those are read again now and then.
 */
export function useLiveServices(type: ServiceType, { node, domain }: ServicesOf, query: ListViewQuery<ServiceColumn>) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { group } = serviceKinds[type];
  const ofNode = { params: { nodeId: node?.id ?? 0 }, query };
  const isDue = useAfter(STREAM_FIRST_MS);
  const domainPage = useRead(
    `${group}.listAll`,
    { query: { ...query, ...(domain === undefined ? {} : { domain: domain.domain }) } },
    { enabled: domain !== undefined, keep: true, everyMs: REREAD_MS },
  );
  const watched = { ...query, nodeId: node?.id };
  const { state } = useStream<Page<HttpService> | Page<TcpService>>(
    node ? JSON.stringify([type, watched]) : null,
    (options) => client[group].watch({ query: watched }, options),
    { onEvent: (event) => queries.setQueryData(queryKey(`${group}.list`, ofNode), event) },
  );
  const isMissed = isDue || state === 'waiting' || state === 'closed';
  const nodePage = useRead(`${group}.list`, ofNode, { enabled: node !== undefined && isMissed, keep: true });
  return node ? nodePage : domainPage;
}
