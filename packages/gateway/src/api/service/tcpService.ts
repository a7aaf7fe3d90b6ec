import {
  type CheckedInputOf,
  type EndpointNamed,
  type SavedTcpService,
  type TcpService,
  tcpService,
  tcpServiceAttributes,
  tcpServiceInput,
} from '@sallyport/sdk/contract';
import { backendHostProblem, tlsWithSignInProblem } from '@sallyport/sdk/rules';
import { formOf } from '../entities.ts';
import { failure, refuseProblems, requireSameId, requireVersion } from '../failure.ts';
import type { TcpServiceRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Context, HandlersOf } from '../context.ts';
import { publicAddress } from './publicAddress.ts';
import {
  CONSOLE_DOMAIN_PROBLEM,
  type MinorChange,
  type OPENED,
  serviceCalls,
  shownRows,
  type Wanted,
} from './service.ts';

/** What an administrator says about a service, its public port left out. */
type Form = Pick<TcpServiceRow, keyof typeof tcpServiceAttributes>;

const shown = shownRows('tcpService', tcpService);
const form = formOf(tcpServiceAttributes, tcpServiceInput);

/** A TCP or UDP service as it is answered. */
export function showTcpService(stored: TcpServiceRow, context: Pick<Context, 'world' | 'settings'>): TcpService {
  const { row, facts } = shown(stored, context);
  return { ...row, ...facts, publicAccess: publicAddress(row, context.settings) };
}

const calls = serviceCalls<TcpServiceRow, Form, TcpService>({
  kind: 'tcpService',
  reader: (at) => at.tcpServices,
  writer: (tx) => tx.tcpServices,
  show: showTcpService,
  formOf: form,
  // A new one, one with another certificate, also where it stays closed, a closed one, or another port.
  opensPort: (before, next) =>
    before === null ||
    before.ssl !== next.ssl ||
    before.domain !== next.domain ||
    (next.enabled === true && !(before.enabled && before.port === next.port)),
  requirePossible,
});

type Body<Name extends 'tcpService.create' | 'tcpService.update'> = CheckedInputOf<EndpointNamed<Name>>['body'];

/** The calls about TCP and UDP services, of administrators and of nodes. */
export const tcpServices = {
  ...calls,
  async create(
    nodeId: number,
    { ttl, port: wanted, ...change }: Body<'tcpService.create'>,
    context: Context,
  ): Promise<SavedTcpService> {
    const { proto } = form({}, change);
    const create = (port: number) => calls.create(nodeId, { change, ttl, columns: { port } }, context);
    const createUnlessTaken = async (port: number) => {
      const [taken] = await context.store.tcpServices.all({ port });
      return taken === undefined ? create(port) : null;
    };
    return wanted
      ? context.publicPorts.given({ proto, port: wanted, nodeId }, null, context, () => create(wanted))
      : context.publicPorts.next({ proto, nodeId }, context, createUnlessTaken);
  },

  async update(
    params: { nodeId: number; id: number },
    { id, ttl, port: wanted, ...change }: Body<'tcpService.update'>,
    context: Context,
    columns?: typeof OPENED,
  ): Promise<SavedTcpService> {
    requireSameId(id, params.id);
    const { row: before } = await calls.found(context.store, params);
    requireVersion(before, context);
    const place = { proto: change.proto ?? before.proto, port: wanted ?? before.port, nodeId: before.nodeId };
    const update = () =>
      calls.update(params, { change, ttl, columns: { ...columns, port: place.port } }, context, (row) => {
        // It was moved while the machine was asked about the port.
        if (row.port !== before.port || row.proto !== before.proto) throw failure.stale();
      });
    const isElsewhere = place.port !== before.port || place.proto !== before.proto;
    return isElsewhere ? context.publicPorts.given(place, before, context, update) : update();
  },

  /** See `serviceCalls`. The port stays. */
  within: {
    ...calls.within,
    update: (tx: Transaction, params: { nodeId: number; id: number }, wish: MinorChange, context: Context) =>
      calls.within.update(tx, params, wish, context, () => undefined),
  },
};

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
  'tcpService.listAll': ({ query }, context) => tcpServices.list(query, context),
  'tcpService.watch': async ({ query }, context) => tcpServices.watch(query, context),
  'tcpService.list': ({ params, query }, context) => tcpServices.listOfNode(params.nodeId, query, context),
  'tcpService.get': ({ params }, context) => tcpServices.get(params, context),
  'tcpService.create': ({ params, body }, context) => tcpServices.create(params.nodeId, body, context),
  'tcpService.update': ({ params, body }, context) => tcpServices.update(params, body, context),
  'tcpService.enable': ({ params }, context) => tcpServices.enable(params, context),
  'tcpService.disable': ({ params }, context) => tcpServices.disable(params, context),
  'tcpService.remove': ({ params }, context) => tcpServices.remove(params, context),
};
