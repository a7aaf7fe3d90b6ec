import {
  filled,
  type HttpService,
  httpService,
  httpServiceAttributes,
  httpServiceInput,
  type Problem,
  saidIn,
  type SavedHttpService,
} from '@sallyport/sdk/contract';
import { backendHostProblem, builtinLockedFields, requireAuthProblem } from '@sallyport/sdk/rules';
import { failure, takenMessage } from '../failure.ts';
import { bypassProblem } from '../../rules/bypassPatterns.ts';
import type { DomainRow, HttpServiceRow, NodeRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import { checked, given, refuseProblems, requireSameId, requireVersion } from '../checks.ts';
import type { Context } from '../context.ts';
import { releaseDomain, requireUsable } from '../domain/use.ts';
import type { HandlersOf } from '../handler.ts';
import { nodeOf } from '../node/nodeOf.ts';
import { requireWithinQuota } from '../node/tokenLimits.ts';
import { publicUrl } from './publicUrl.ts';
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

/** What an administrator said about a service. */
type Form = Pick<HttpServiceRow, keyof typeof httpServiceAttributes>;

const shown = shownRows('httpService', httpService);

/** An HTTP service as it is answered. */
export function showHttpService(stored: HttpServiceRow, context: Pick<Context, 'world' | 'settings'>): HttpService {
  const { row, facts } = shown(stored, context);
  return {
    ...row,
    ...facts,
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
    next.skipAuthRoutes !== (before?.skipAuthRoutes ?? null) && routesProblem(next.skipAuthRoutes),
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

/** Before the row is written: patterns that cannot be matched safely never get there. */
function routesProblem(lines: string | null): Problem | null {
  const reason = bypassProblem(lines);
  return reason === null ? null : { field: 'skipAuthRoutes', message: reason };
}

export const httpServiceHandlers: HandlersOf<'httpService'> = {
  'httpService.listAll': ({ query }, context) => httpServiceCalls.list(query, context),
  async 'httpService.watch'({ query }, context) {
    return watchServices({ kind: 'httpService', query, list: (page) => httpServiceCalls.list(page, context) }, context);
  },
  'httpService.list': ({ params, query }, context) => httpServiceCalls.listOfNode(params.nodeId, query, context),
  'httpService.get': ({ params }, context) => httpServiceCalls.get(params, context),

  async 'httpService.ping'({ params }, context) {
    const { row } = await httpServiceCalls.found(context.store, params);
    const { health, healthReason } = await context.world.asked('httpService', row.id);
    if (health === 'up') return { status: 200 };
    const reason = healthReason ?? (row.enabled ? 'It has not answered yet.' : 'The service is closed.');
    throw failure.rejected(`Request to backend failed. ${reason}`);
  },

  async 'httpService.create'({ params: { nodeId }, body: { ttl, ...body } }, context): Promise<SavedHttpService> {
    const { row, ...saved } = await context.write(async (tx) => {
      const node = await nodeOf(tx, nodeId);
      const { next, domainIsOwnName } = withoutOwnName(formOf({}, body), context);
      await requireWithinQuota(tx, context, { node, next, before: null, takesPort: false });
      await requireUsable(tx, context, { node, next, before: null });
      const { domain, created } = await ensureDomain(tx, next.domain, node);
      await requirePossible(tx, { next, before: null, node, domain });
      const expiresAt = expiryOf(ttl, context.world.now()) ?? null;
      return {
        row: await tx.httpServices.create({ ...next, nodeId, enabled: true, expiresAt, ...OPEN, builtin: false }),
        domainCreated: created,
        domainIsOwnName,
      };
    }, madeService);
    return { ...(await httpServiceCalls.get({ nodeId, id: row.id }, context)), ...saved };
  },

  async 'httpService.update'({ params, body: { id: bodyId, ttl, ...patch } }, context): Promise<SavedHttpService> {
    requireSameId(bodyId, params.id);
    const saved = await context.write(async (tx) => {
      const { node, row } = await httpServiceCalls.found(tx, params);
      requireVersion(row, context);
      const { next, domainIsOwnName } = withoutOwnName(formOf(row, patch), context);
      const expiresAt = expiryOf(ttl, context.world.now());
      refuseProblems([
        row.builtin &&
          expiresAt !== undefined &&
          expiresAt !== null && {
            field: 'ttl',
            message: "This field of the built-in console service can't be changed",
          },
      ]);
      await requireWithinQuota(tx, context, { node, next, before: row, takesPort: false });
      await requireUsable(tx, context, { node, next, before: row });
      const { domain, created } = await ensureDomain(tx, next.domain, node);
      await requirePossible(tx, { next, before: row, node, domain });
      await tx.httpServices.update(row.id, { ...next, ...(expiresAt !== undefined && { expiresAt }) });
      await releaseDomain(tx, context, { before: row, next });
      return { domainCreated: created, domainIsOwnName };
    }, savedService);
    return { ...(await httpServiceCalls.get(params, context)), ...saved };
  },

  'httpService.enable': ({ params }, context) => httpServiceCalls.enable(params, context),
  'httpService.disable': ({ params }, context) => httpServiceCalls.disable(params, context),
  'httpService.remove': ({ params }, context) => httpServiceCalls.remove(params, context),
};
