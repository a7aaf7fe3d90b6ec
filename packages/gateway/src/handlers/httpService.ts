import {
  filled,
  type HttpService,
  httpServiceAttributes,
  httpServiceInput,
  saidIn,
  type SavedHttpService,
} from '@sallyport/sdk/contract';
import { backendHostProblem, builtinLockedFields, requireAuthProblem } from '@sallyport/sdk/rules';
import { takenMessage } from '../failure.ts';
import type { DomainRow, HttpServiceRow, NodeRow } from '../store/rows.ts';
import type { Transaction } from '../store/transaction.ts';
import { checked, given, refuseProblems, requireSameId, requireVersion } from './checks.ts';
import type { Context } from './context.ts';
import type { HandlersOf } from './handler.ts';
import { nodeOf } from './nodeOf.ts';
import { publicUrl } from './publicUrl.ts';
import { CONSOLE_DOMAIN_PROBLEM, ensureDomain, expiryOf, serviceCalls, shownFacts } from './service.ts';
import { watchServices } from './serviceWatch.ts';

/** What an administrator said about a service. */
type Form = Pick<HttpServiceRow, keyof typeof httpServiceAttributes>;

/** An HTTP service as it is answered. */
export function showHttpService(row: HttpServiceRow, context: Pick<Context, 'world' | 'settings'>): HttpService {
  const { createdAt: _, updatedAt: __, ...stored } = row;
  return {
    ...stored,
    ...shownFacts('httpService', row, context),
    ssl: true,
    publicAccess: publicUrl(row, context.settings),
  };
}

/** What both kinds answer alike, for HTTP services. */
export const httpServiceCalls = serviceCalls<HttpServiceRow, HttpService>({
  reader: (at) => at.httpServices,
  writer: (tx) => tx.httpServices,
  show: showHttpService,
});

/** The whole of what is said about a service, once a change is made to what was said before. */
function formOf(before: Partial<Form>, change: Partial<Record<keyof Form, unknown>>): Form {
  const said = { ...saidIn(httpServiceAttributes, before), ...given(change) };
  checked(httpServiceInput, said);
  return filled(httpServiceAttributes, said);
}

/** A domain and a path belong to one service alone, and a last slash makes no other path. */
const PLACE = ['domain', 'pathLocation'];

/** Whether another service is there already. The console is in nobody's way: it has a port or a domain of its own. */
async function isPlaceTaken(tx: Transaction, next: Form, before: HttpServiceRow | null): Promise<boolean> {
  if (before?.builtin) return false;
  const path = next.pathLocation.replace(/\/$/, '');
  for (const pathLocation of [path, `${path}/`]) {
    const there = await tx.httpServices.all({ domain: next.domain, pathLocation, builtin: false });
    if (there.some(({ id }) => id !== before?.id)) return true;
  }
  return false;
}

/** Whether the console would come under one name with something else. */
async function sharesWithConsole(tx: Transaction, domain: string, before: HttpServiceRow | null): Promise<boolean> {
  if (!before?.builtin) return (await tx.httpServices.all({ domain, builtin: true })).length > 0;
  const others = (await tx.httpServices.all({ domain })).filter(({ id }) => id !== before.id);
  return others.length > 0 || (await tx.tcpServices.all({ domain })).length > 0;
}

/** Everything about a service that needs its node, its domain or its neighbours. */
async function requirePossible(
  tx: Transaction,
  {
    next,
    before,
    node,
    domain,
  }: { next: Form; before: HttpServiceRow | null; node: NodeRow; domain: DomainRow | null },
): Promise<void> {
  const authAsBefore = before?.requireAuth === next.requireAuth && before.domain === next.domain;
  const withConsole = next.domain !== null && (await sharesWithConsole(tx, next.domain, before));
  const isTaken = await isPlaceTaken(tx, next, before);
  refuseProblems([
    backendHostProblem(node, next.backendHost),
    !authAsBefore && requireAuthProblem(next.requireAuth, domain),
    withConsole &&
      (before?.builtin
        ? { field: 'domain', message: 'The console needs a domain of its own: this one has services already' }
        : CONSOLE_DOMAIN_PROBLEM),
    ...(isTaken ? PLACE.map((field) => ({ field, message: takenMessage(...PLACE) })) : []),
    ...(before?.builtin
      ? builtinLockedFields.map(
          (field) =>
            next[field] !== before[field] && {
              field,
              message: "This field of the built-in console service can't be changed",
            },
        )
      : []),
  ]);
}

export const httpServiceHandlers: HandlersOf<'httpService'> = {
  'httpService.listAll': ({ query }, context) => httpServiceCalls.list(query, context),
  async 'httpService.watch'({ query }, context) {
    return watchServices({ kind: 'httpService', query, list: (page) => httpServiceCalls.list(page, context) }, context);
  },
  'httpService.list': ({ params, query }, context) => httpServiceCalls.listOfNode(params.nodeId, query, context),
  'httpService.get': ({ params }, context) => httpServiceCalls.get(params, context),

  async 'httpService.create'({ params: { nodeId }, body: { ttl, ...body } }, context): Promise<SavedHttpService> {
    const { row, domainCreated } = await context.write(async (tx) => {
      const node = await nodeOf(tx, nodeId);
      const next = formOf({}, body);
      const { domain, created } = await ensureDomain(tx, next.domain);
      await requirePossible(tx, { next, before: null, node, domain });
      const expiresAt = expiryOf(ttl, context.world.now()) ?? null;
      return {
        row: await tx.httpServices.create({ ...next, nodeId, enabled: true, expiresAt, builtin: false }),
        domainCreated: created,
      };
    });
    return { ...(await httpServiceCalls.get({ nodeId, id: row.id }, context)), domainCreated };
  },

  async 'httpService.update'({ params, body: { id: bodyId, ttl, ...patch } }, context): Promise<SavedHttpService> {
    requireSameId(bodyId, params.id);
    const domainCreated = await context.write(async (tx) => {
      const { node, row } = await httpServiceCalls.found(tx, params);
      requireVersion(row, context);
      const next = formOf(row, patch);
      const expiresAt = expiryOf(ttl, context.world.now());
      refuseProblems([
        row.builtin &&
          expiresAt !== undefined &&
          expiresAt !== null && {
            field: 'ttl',
            message: "This field of the built-in console service can't be changed",
          },
      ]);
      const { domain, created } = await ensureDomain(tx, next.domain);
      await requirePossible(tx, { next, before: row, node, domain });
      await tx.httpServices.update(row.id, { ...next, ...(expiresAt !== undefined && { expiresAt }) });
      return created;
    });
    return { ...(await httpServiceCalls.get(params, context)), domainCreated };
  },

  'httpService.enable': ({ params }, context) => httpServiceCalls.enable(params, context),
  'httpService.disable': ({ params }, context) => httpServiceCalls.disable(params, context),
  'httpService.remove': ({ params }, context) => httpServiceCalls.remove(params, context),
};
