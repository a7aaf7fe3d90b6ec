import { LIMIT_MAX, type ListedService, type Page, type ServiceQuery } from '@sallyport/sdk/contract';
import { serviceStatus } from '@sallyport/sdk/rules';
import type { NodeRow } from '../../store/rows.ts';
import type { ServiceKey } from '../../store/serviceKeys.ts';
import type { Reader } from '../../store/tables.ts';
import type { Context, HandlersOf } from '../context.ts';
import { nodesOf } from '../identity.ts';
import { pageOfAll } from '../node/nodeRows.ts';
import { showHttpService } from './httpService.ts';
import { addressParts } from './publicAddress.ts';
import { showTcpService } from './tcpService.ts';

/**
 * A page of the services of both kinds. The database finds and orders them; how they are it does not know, so all that it
 * finds are looked at where that is asked for.
 */
async function list({ status, ...query }: ServiceQuery, context: Context): Promise<Page<ListedService>> {
  const { page, limit, ...filters } = query;
  const { store, settings, caller } = context;
  const wanted = { ...filters, nodeIds: nodesOf(caller), address: addressParts(settings) };
  if (status === undefined) {
    const keys = await store.services.keys(wanted, { page, limit });
    return withLastRequests({ ...keys, data: await show(keys.data, context) }, context);
  }
  const services = await show((await store.services.keys(wanted, {})).data, context);
  const found = services.filter((service) => serviceStatus(service) === status);
  return withLastRequests(pageOfAll(found, query), context);
}

/** Says of the services of a page, and of no others, when they were last asked for. */
function withLastRequests({ data, ...page }: Page<ListedService>, { world }: Context): Page<ListedService> {
  const times = world.lines.lastTimes(data.map(({ type, id }) => ({ kind: type, id })));
  return {
    ...page,
    data: data.map((service, index) => {
      const time = times[index];
      return { ...service, lastRequestAt: time ? new Date(time).toISOString() : null };
    }),
  };
}

/** These services as they are answered; one that was deleted meanwhile is left out. */
async function show(keys: readonly ServiceKey[], context: Context): Promise<ListedService[]> {
  const { store } = context;
  const idsOf = (type: ServiceKey['type']) => keys.flatMap((key) => (key.type === type ? [key.id] : []));
  const [http, tcp] = [await rowsOf(store.httpServices, idsOf('http')), await rowsOf(store.tcpServices, idsOf('tcp'))];
  const nodeIds = new Set([...http.values(), ...tcp.values()].map(({ nodeId }) => nodeId));
  const nodes = await rowsOf(store.nodes, [...nodeIds]);
  return keys.flatMap(({ type, id }): ListedService[] => {
    if (type === 'http') {
      const row = http.get(id);
      return row ? [{ type, ...showHttpService(row, context), ...placeOf(nodes.get(row.nodeId)) }] : [];
    }
    const row = tcp.get(id);
    return row ? [{ type, ...showTcpService(row, context), ...placeOf(nodes.get(row.nodeId)) }] : [];
  });
}

const placeOf = (node: NodeRow | undefined) => ({
  nodeName: node?.name ?? '',
  nodeAddress: node?.address ?? '',
  // Looked up for the rows of a page alone.
  lastRequestAt: null,
});

/** The rows of these ids, by id. */
async function rowsOf<Row extends { id: number }>(
  reader: Pick<Reader<Row>, 'list' | 'all'>,
  ids: readonly Row['id'][],
): Promise<Map<number, Row>> {
  if (ids.length === 0) return new Map();
  // Of very many, a statement could not name each.
  const rows = ids.length > LIMIT_MAX ? await reader.all() : (await reader.list(among(ids))).data;
  return new Map(rows.map((row) => [row.id, row]));
}

const among = <Row extends { id: number }>(ids: readonly number[]) =>
  ({ among: { id: ids } }) as unknown as Parameters<Reader<Row>['list']>[0];

export const serviceHandlers: HandlersOf<'service'> = {
  'service.list': ({ query }, context) => list(query, context),
};
