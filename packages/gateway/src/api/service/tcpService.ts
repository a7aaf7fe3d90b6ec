import {
  filled,
  type SavedTcpService,
  saidIn,
  type TcpService,
  tcpService,
  tcpServiceAttributes,
  tcpServiceInput,
} from '@sallyport/sdk/contract';
import { backendHostProblem, tlsWithSignInProblem } from '@sallyport/sdk/rules';
import { failure } from '../failure.ts';
import type { NodeRow, TcpServiceRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import { checked, given, refuseProblems, requireSameId, requireVersion } from '../checks.ts';
import type { Context } from '../context.ts';
import { releaseDomain, requireUsable } from '../domain/use.ts';
import type { HandlersOf } from '../handler.ts';
import { nodeOf } from '../node/nodeOf.ts';
import { requireWithinQuota } from '../node/tokenLimits.ts';
import { publicAddress } from './publicUrl.ts';
import { OPEN } from '../../rules/closing.ts';
import {
  CONSOLE_DOMAIN_PROBLEM,
  ensureDomain,
  expiryOf,
  madeService,
  savedService,
  serviceCalls,
  shownRows,
  withoutOwnName,
} from './service.ts';
import { watchServices } from './watch.ts';

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
export const tcpServiceCalls = serviceCalls<TcpServiceRow, TcpService>({
  reader: (at) => at.tcpServices,
  writer: (tx) => tx.tcpServices,
  show: showTcpService,
});

/** The whole of what is said about a service, once a change is made to what was said before. */
function formOf(before: Partial<Form>, change: Partial<Record<keyof Form, unknown>>): Form {
  const said = { ...saidIn(tcpServiceAttributes, before), ...given(change) };
  checked(tcpServiceInput, said);
  return filled(tcpServiceAttributes, said);
}

/** Makes the domain if need be, and refuses what the node or the console does not allow. */
async function settleDomain(
  tx: Transaction,
  context: Context,
  { next, node, before }: { next: Form; node: NodeRow; before: TcpServiceRow | null },
): Promise<boolean> {
  await requireWithinQuota(tx, context, { node, next, before, takesPort: true });
  await requireUsable(tx, context, { node, next, before });
  const { domain, created } = await ensureDomain(tx, next.domain, node);
  const tlsAsBefore = before?.ssl === next.ssl && before.domain === next.domain;
  const console = next.domain === null ? [] : await tx.httpServices.all({ domain: next.domain, builtin: true });
  refuseProblems([
    backendHostProblem(node, next.backendHost),
    !tlsAsBefore && tlsWithSignInProblem(next.ssl, domain),
    console.length > 0 && CONSOLE_DOMAIN_PROBLEM,
  ]);
  return created;
}

export const tcpServiceHandlers: HandlersOf<'tcpService'> = {
  'tcpService.listAll': ({ query }, context) => tcpServiceCalls.list(query, context),
  async 'tcpService.watch'({ query }, context) {
    return watchServices({ kind: 'tcpService', query, list: (page) => tcpServiceCalls.list(page, context) }, context);
  },
  'tcpService.list': ({ params, query }, context) => tcpServiceCalls.listOfNode(params.nodeId, query, context),
  'tcpService.get': ({ params }, context) => tcpServiceCalls.get(params, context),

  async 'tcpService.create'({ params: { nodeId }, body }, context): Promise<SavedTcpService> {
    const { ttl, port: wanted, ...said } = body;
    const { next, domainIsOwnName } = withoutOwnName(formOf({}, said), context);
    const create = (port: number) =>
      context.write(async (tx) => {
        const node = await nodeOf(tx, nodeId);
        const domainCreated = await settleDomain(tx, context, { next, node, before: null });
        const expiresAt = expiryOf(ttl, context.world.now()) ?? null;
        const row = await tx.tcpServices.create({ ...next, port, nodeId, enabled: true, expiresAt, ...OPEN });
        return { row, domainCreated, domainIsOwnName };
      }, madeService);
    const createUnlessTaken = async (port: number) => {
      const [taken] = await context.store.tcpServices.all({ port });
      return taken === undefined ? create(port) : null;
    };
    const { proto } = next;
    const { row, domainCreated } = await (wanted
      ? context.publicPorts.given({ proto, port: wanted }, null, context, () => create(wanted))
      : context.publicPorts.next(proto, context, createUnlessTaken));
    return { ...(await tcpServiceCalls.get({ nodeId, id: row.id }, context)), domainCreated, domainIsOwnName };
  },

  async 'tcpService.update'({ params, body }, context): Promise<SavedTcpService> {
    const { id: bodyId, ttl, port: wanted, ...patch } = body;
    requireSameId(bodyId, params.id);
    const { row: before } = await tcpServiceCalls.found(context.store, params);
    requireVersion(before, context);
    const place = { proto: patch.proto ?? before.proto, port: wanted ?? before.port };
    const update = () =>
      context.write(async (tx) => {
        const { node, row } = await tcpServiceCalls.found(tx, params);
        requireVersion(row, context);
        // Somebody moved it while the machine was asked about the port.
        if (row.port !== before.port || row.proto !== before.proto) throw failure.stale();
        const { next, domainIsOwnName } = withoutOwnName(formOf(row, patch), context);
        const domainCreated = await settleDomain(tx, context, { next, node, before: row });
        const expiresAt = expiryOf(ttl, context.world.now());
        const change = { ...next, port: place.port, ...(expiresAt !== undefined && { expiresAt }) };
        await tx.tcpServices.update(row.id, change);
        await releaseDomain(tx, context, { before: row, next });
        return { domainCreated, domainIsOwnName };
      }, savedService);
    const isElsewhere = place.port !== before.port || place.proto !== before.proto;
    const saved = await (isElsewhere ? context.publicPorts.given(place, before, context, update) : update());
    return { ...(await tcpServiceCalls.get(params, context)), ...saved };
  },

  'tcpService.enable': ({ params }, context) => tcpServiceCalls.enable(params, context),
  'tcpService.disable': ({ params }, context) => tcpServiceCalls.disable(params, context),
  'tcpService.remove': ({ params }, context) => tcpServiceCalls.remove(params, context),
};
