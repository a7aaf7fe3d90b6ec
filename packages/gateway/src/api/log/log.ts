import { LOG_BACKLOG_LINES, type LogQuery } from '@sallyport/sdk/contract';
import { nodesOf } from '../identity.ts';
import { failure } from '../failure.ts';
import type { Change } from '../../store/transaction.ts';
import type { LineKey } from '../../world.ts';
import type { Context, HandlersOf } from '../context.ts';

export const logHandlers: HandlersOf<'log'> = {
  async 'log.watch'({ query }, { store, world, client, caller, reply }) {
    const key = await lineKey(query, store, caller);
    const kind = ({ domain: 'domain', http: 'httpService', tcp: 'tcpService' } as const)[key.kind];
    const afterId = client.lastEventId;
    const nodes = nodesOf(caller);
    const count = query.lines ?? LOG_BACKLOG_LINES;
    const reader = await world.lines.open(key, { count, afterId, withDetails: query.with === 'details' });
    if (afterId !== null && !reader.resumed) reply.restarted = true;
    return {
      key: null,
      open(sink) {
        const isOver = ({ kind: changed, id, after }: Change): boolean => {
          if (changed === kind && id === key.id) {
            return after === null || (nodes !== null && 'nodeId' in after && !nodes.includes(after.nodeId));
          }
          return changed === 'node' && caller?.type === 'node' && id === caller.nodeId && after?.enabled !== true;
        };
        const stops = [
          reader.read(sink),
          store.onChange((changes) => {
            if (changes.some(isOver)) sink.end();
          }),
        ];
        // It may have gone, or to another node, since it was looked up.
        lineKey(query, store, caller).then(
          ({ id }) => id === key.id || sink.end(),
          () => sink.end(),
        );
        return () => stops.forEach((stop) => stop());
      },
    };
  },
};

/** Whose lines are wanted. To the token of a node, only its own services are there; a domain may hold those of others. */
async function lineKey(
  { domain, type, id }: LogQuery,
  store: Context['store'],
  caller: Context['caller'],
): Promise<LineKey> {
  const nodes = nodesOf(caller);
  if (domain !== undefined) {
    if (nodes !== null) throw failure.notFound('Domain not found!');
    const [row] = await store.domains.all({ domain });
    if (row === undefined) throw failure.notFound('Domain not found!');
    return { kind: 'domain', id: row.id };
  }
  const table = type === 'tcp' ? store.tcpServices : store.httpServices;
  const row = id === undefined ? null : await table.get(id);
  if (row === null || (nodes !== null && !nodes.includes(row.nodeId))) {
    throw failure.notFound('Service not found');
  }
  return { kind: type ?? 'http', id: row.id };
}
