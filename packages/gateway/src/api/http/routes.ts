import { type Endpoint, type EndpointName, endpoints } from '@sallyport/sdk/contract';
import { apiTokenHandlers } from '../apiToken/apiToken.ts';
import { bulkHandlers } from '../service/bulk.ts';
import { cliHandlers } from '../cli/cli.ts';
import { domainHandlers } from '../domain/domain.ts';
import type { HandlerTable } from '../context.ts';
import { httpServiceHandlers } from '../service/httpService.ts';
import { joinKeyHandlers } from '../join/joinKey.ts';
import { logHandlers } from '../log/log.ts';
import { nodeHandlers } from '../node/node.ts';
import { publicAddressHandlers } from '../system/publicAddress.ts';
import { serviceHandlers } from '../service/serviceList.ts';
import { settingsHandlers } from '../system/settings.ts';
import { sessionHandlers } from '../session/session.ts';
import { systemHandlers } from '../system/system.ts';
import { tcpServiceHandlers } from '../service/tcpService.ts';
import { tokenHandlers } from '../token/token.ts';

/** The endpoints that share a method and a path; which one is meant, the query says. */
export type Route = {
  method: Endpoint['method'];
  /** As Hono writes it: `/api/nodes/:id`. */
  path: string;
  candidates: readonly { name: EndpointName; endpoint: Endpoint; requires: readonly string[] }[];
};

/** All endpoints of the contract as routes, in the order in which they are to be tried: words before placeholders. */
export function routes(): Route[] {
  const byPlace = Map.groupBy(endpoints, ({ endpoint }) => `${endpoint.method} ${endpoint.path}`);
  return [...byPlace.values()]
    .map((group): Route & { sort: string } => {
      const [{ endpoint }] = group as [(typeof endpoints)[number]];
      return {
        method: endpoint.method,
        path: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        sort: endpoint.path.replaceAll(/\{\w+\}/g, '\u{10ffff}'),
        // The one that asks for most comes first.
        candidates: group
          .map((one) => ({ ...one, requires: requiredKeys(one.endpoint) }))
          .toSorted((a, b) => b.requires.length - a.requires.length),
      };
    })
    .toSorted((a, b) => (a.sort < b.sort ? -1 : 1));
}

/** The endpoint of the route that a query fits. Where there is but one, the query is not looked at. */
export function candidateFor(
  { candidates }: Route,
  query: () => Readonly<Record<string, unknown>>,
): Route['candidates'][number] {
  const given = candidates.length > 1 ? query() : {};
  const fitting = candidates.find(({ requires }) => requires.every((key) => key in given)) ?? candidates.at(-1);
  if (fitting === undefined) throw new Error('a route without endpoints');
  return fitting;
}

function requiredKeys({ query }: Endpoint): string[] {
  if (query === undefined || !('shape' in query)) return [];
  return Object.entries(query.shape as Record<string, typeof query>)
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([key]) => key);
}

/** What answers each endpoint. One that is missing here does not compile. */
export const handlers: HandlerTable = {
  ...sessionHandlers,
  ...nodeHandlers,
  ...domainHandlers,
  ...serviceHandlers,
  ...settingsHandlers,
  ...bulkHandlers,
  ...httpServiceHandlers,
  ...tcpServiceHandlers,
  ...tokenHandlers,
  ...joinKeyHandlers,
  ...apiTokenHandlers,
  ...cliHandlers,
  ...logHandlers,
  ...publicAddressHandlers,
  ...systemHandlers,
};
