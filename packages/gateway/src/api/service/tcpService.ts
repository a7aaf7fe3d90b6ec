import {
  withDefaults,
  type SavedTcpService,
  pickAttributes,
  type TcpService,
  tcpService,
  tcpServiceAttributes,
  tcpServiceInput,
} from '@sallyport/sdk/contract';
import { backendHostProblem, tlsWithSignInProblem } from '@sallyport/sdk/rules';
import { checked, definedOnly, failure, refuseProblems, requireSameId, requireVersion } from '../failure.ts';
import type { TcpServiceRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Context, HandlersOf } from '../context.ts';
import { publicAddress } from './publicAddress.ts';
import { CONSOLE_DOMAIN_PROBLEM, serviceCalls, shownRows, type Wanted } from './service.ts';

/** What an administrator said about a service, its public port left out. */
type Form = Pick<TcpServiceRow, keyof typeof tcpServiceAttributes>;

const shown = shownRows('tcpService', tcpService);

/** A TCP or UDP service as it is answered. */
export function showTcpService(stored: TcpServiceRow, context: Pick<Context, 'world' | 'settings'>): TcpService {
  const { row, facts } = shown(stored, context);
  return {
    ...row,
    ...facts,
    publicAccess: publicAddress(row, context.settings),
  };
}

/** What both kinds answer alike, for TCP and UDP services. */
export const tcpServiceCalls = serviceCalls<TcpServiceRow, Form, TcpService>({
  kind: 'tcpService',
  reader: (at) => at.tcpServices,
  writer: (tx) => tx.tcpServices,
  show: showTcpService,
  formOf,
  requirePossible,
});

/** The whole of what is said about a service, once a change is made to what was said before. */
function formOf(before: Partial<Form>, change: Partial<Record<keyof Form, unknown>>): Form {
  const said = { ...pickAttributes(tcpServiceAttributes, before), ...definedOnly(change) };
  checked(tcpServiceInput, said);
  return withDefaults(tcpServiceAttributes, said);
}

async function requirePossible(
  tx: Transaction,
  { next, before, node, domain }: Wanted<TcpServiceRow, Form>,
): Promise<void> {
  const tlsAsBefore = before?.ssl === next.ssl && before.domain === next.domain;
  const console = next.domain === null ? [] : await tx.httpServices.all({ domain: next.domain, builtin: true });
  refuseProblems([
    backendHostProblem(node, next.backendHost),
    !tlsAsBefore && tlsWithSignInProblem(next.ssl, domain),
    console.length > 0 && CONSOLE_DOMAIN_PROBLEM,
  ]);
}

export const tcpServiceHandlers: HandlersOf<'tcpService'> = {
  'tcpService.listAll': ({ query }, context) => tcpServiceCalls.list(query, context),
  'tcpService.watch': async ({ query }, context) => tcpServiceCalls.watch(query, context),
  'tcpService.list': ({ params, query }, context) => tcpServiceCalls.listOfNode(params.nodeId, query, context),
  'tcpService.get': ({ params }, context) => tcpServiceCalls.get(params, context),

  async 'tcpService.create'({ params: { nodeId }, body }, context): Promise<SavedTcpService> {
    const { ttl, port: wanted, ...said } = body;
    const { proto } = formOf({}, said);
    const create = (port: number) => tcpServiceCalls.create(nodeId, { said, ttl, more: { port } }, context);
    const createUnlessTaken = async (port: number) => {
      const [taken] = await context.store.tcpServices.all({ port });
      return taken === undefined ? create(port) : null;
    };
    return wanted
      ? context.publicPorts.given({ proto, port: wanted }, null, context, () => create(wanted))
      : context.publicPorts.next(proto, context, createUnlessTaken);
  },

  async 'tcpService.update'({ params, body }, context): Promise<SavedTcpService> {
    const { id: bodyId, ttl, port: wanted, ...said } = body;
    requireSameId(bodyId, params.id);
    const { row: before } = await tcpServiceCalls.found(context.store, params);
    requireVersion(before, context);
    const place = { proto: said.proto ?? before.proto, port: wanted ?? before.port };
    const update = () =>
      tcpServiceCalls.update(params, { said, ttl, more: { port: place.port } }, context, (row) => {
        // Somebody moved it while the machine was asked about the port.
        if (row.port !== before.port || row.proto !== before.proto) throw failure.stale();
      });
    const isElsewhere = place.port !== before.port || place.proto !== before.proto;
    return isElsewhere ? context.publicPorts.given(place, before, context, update) : update();
  },

  'tcpService.enable': ({ params }, context) => tcpServiceCalls.enable(params, context),
  'tcpService.disable': ({ params }, context) => tcpServiceCalls.disable(params, context),
  'tcpService.remove': ({ params }, context) => tcpServiceCalls.remove(params, context),
};
