import { queryKey } from '@sallyport/sdk';
import type { Domain, HttpService, Node, Page, ServiceType, TcpService } from '@sallyport/sdk/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useConnection } from '../../data/connection.ts';
import { useRead } from '../../data/read.ts';
import { useStream } from '../../data/useStream.ts';
import type { ListViewQuery } from '../../state/listView.ts';
import { serviceKinds, type ServiceColumn } from './serviceKinds.ts';

/** How often the services of a domain are read again. */
const REREAD_MS = 10_000;

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
  const nodePage = useRead(`${group}.list`, ofNode, { enabled: node !== undefined, keep: true });
  const domainPage = useRead(
    `${group}.listAll`,
    { query: { ...query, ...(domain === undefined ? {} : { domain: domain.domain }) } },
    { enabled: domain !== undefined, keep: true, everyMs: REREAD_MS },
  );
  const watched = { ...query, nodeId: node?.id };
  useStream<Page<HttpService> | Page<TcpService>>(
    node ? JSON.stringify([type, watched]) : null,
    (options) => client[group].watch({ query: watched }, options),
    { onEvent: (event) => queries.setQueryData(queryKey(`${group}.list`, ofNode), event) },
  );
  return node ? nodePage : domainPage;
}
