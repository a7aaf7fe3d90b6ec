import {
  type CheckedInputOf,
  type EndpointNamed,
  type HttpService,
  httpService,
  httpServiceAttributes,
  httpServiceInput,
  type Problem,
  type SavedHttpService,
} from '@sallyport/sdk/contract';
import { backendHostProblem, builtinLockedFields, requireAuthProblem } from '@sallyport/sdk/rules';
import { formOf } from '../entities.ts';
import { failure, refuseProblems, requireSameId, takenMessage } from '../failure.ts';
import { bypassProblem } from '../../rules/bypassPatterns.ts';
import { namesWithoutDomain } from '../../rules/domainName.ts';
import type { HttpServiceRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Context, HandlersOf } from '../context.ts';
import { publicUrl } from './publicAddress.ts';
import {
  CONSOLE_DOMAIN_PROBLEM,
  type MinorChange,
  type OPENED,
  serviceCalls,
  shownRows,
  type Wanted,
} from './service.ts';

/** What an administrator says about a service. */
type Form = Pick<HttpServiceRow, keyof typeof httpServiceAttributes>;

const shown = shownRows('httpService', httpService);

/** An HTTP service as it is answered. */
export function showHttpService(stored: HttpServiceRow, context: Pick<Context, 'world' | 'settings'>): HttpService {
  const { row, facts } = shown(stored, context);
  // What answers this is the console's own backend, which is not asked otherwise.
  const ownHealth = row.builtin ? { health: 'up' as const } : {};
  return { ...row, ...facts, ...ownHealth, ssl: true, publicAccess: publicUrl(row, context.settings) };
}

const calls = serviceCalls<HttpServiceRow, Form, HttpService>({
  kind: 'httpService',
  reader: (at) => at.httpServices,
  writer: (tx) => tx.httpServices,
  show: showHttpService,
  formOf: formOf(httpServiceAttributes, httpServiceInput),
  opensPort: () => false,
  requirePossible,
  writeAlso,
});

type Body<Name extends 'httpService.create' | 'httpService.update'> = CheckedInputOf<EndpointNamed<Name>>['body'];

/** The calls about HTTP services, of administrators and of nodes. */
export const httpServices = {
  ...calls,
  create: (
    nodeId: number,
    { ttl, ...change }: Body<'httpService.create'>,
    context: Context,
  ): Promise<SavedHttpService> => calls.create(nodeId, { change, ttl, columns: { builtin: false } }, context),

  async update(
    params: { nodeId: number; id: number },
    { id, ttl, ...change }: Body<'httpService.update'>,
    context: Context,
    columns?: typeof OPENED,
  ): Promise<SavedHttpService> {
    requireSameId(id, params.id);
    const wish = { change, ttl, ...(columns && { columns }) };
    return calls.update(params, wish, context, (row) => requireChangeable(row, ttl, context));
  },

  /** See `serviceCalls`. */
  within: {
    ...calls.within,
    update: (tx: Transaction, params: { nodeId: number; id: number }, wish: MinorChange, context: Context) =>
      calls.within.update(tx, params, wish, context, (row) => requireChangeable(row, wish.ttl, context)),
  },
};

/** Where administrators sign in stays open, and no program moves it. */
function requireChangeable({ builtin }: HttpServiceRow, ttl: string | null | undefined, context: Context): void {
  if (builtin) requireConsoleMovable(context);
  refuseProblems([builtin && typeof ttl === 'string' && { field: 'ttl', message: BUILTIN_LOCKED }]);
}

/** A domain and a path belong to one service alone, and a last slash makes no other path. */
const PLACE = ['domain', 'pathLocation'];

/** Whether another service is there already. The console is in no service's way: it has a port or a domain of its own. */
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
  { next, before, node, domain }: Wanted<HttpServiceRow, Form>,
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
    ...builtinLockedFields.map(
      (field) => before?.builtin && next[field] !== before[field] && { field, message: BUILTIN_LOCKED },
    ),
  ]);
}

/** Writes down who has the name, and that the console has left one. */
async function writeAlso(
  tx: Transaction,
  { next, before, node, domain }: Wanted<HttpServiceRow, Form>,
  settings: Context['settings'],
): Promise<void> {
  const names = next.domain === null ? namesWithoutDomain(settings) : [next.domain];
  if (!node.isLocal) for (const name of names) await tx.formerNames.add({ name, usedBy: 'node' });
  if (!before?.builtin) return;
  // The administrator's from now on, also when the console leaves it: who used it there would meet a node's service.
  if (domain !== null && !domain.reserved) await tx.domains.update(domain.id, { reserved: true });
  if (next.domain !== null) await tx.formerNames.add({ name: next.domain, usedBy: 'console' });
  if (before.domain !== null && before.domain !== next.domain) await tx.sessions.endInBrowsers('address-changed');
}

/** Where administrators sign in is none of a program's business: it could lead their passwords elsewhere. */
export function requireConsoleMovable({ caller }: Pick<Context, 'caller'>): void {
  if (caller?.type === 'api') throw failure.rejected('The console itself is not changed by an API token.');
}

const BUILTIN_LOCKED = "This field of the built-in console service can't be changed";

/** Before the row is written: patterns that cannot be matched safely never get there. */
function routesProblem(lines: string | null): Problem | null {
  const reason = bypassProblem(lines);
  return reason === null ? null : { field: 'skipAuthRoutes', message: reason };
}

export const httpServiceHandlers: HandlersOf<'httpService'> = {
  'httpService.listAll': ({ query }, context) => httpServices.list(query, context),
  'httpService.watch': async ({ query }, context) => httpServices.watch(query, context),
  'httpService.list': ({ params, query }, context) => httpServices.listOfNode(params.nodeId, query, context),
  'httpService.get': ({ params }, context) => httpServices.get(params, context),
  'httpService.create': ({ params, body }, context) => httpServices.create(params.nodeId, body, context),
  'httpService.update': ({ params, body }, context) => httpServices.update(params, body, context),
  'httpService.enable': ({ params }, context) => httpServices.enable(params, context),
  'httpService.disable': ({ params }, context) => httpServices.disable(params, context),
  'httpService.remove': ({ params }, context) => httpServices.remove(params, context),

  async 'httpService.ping'({ params }, context) {
    const { row } = await httpServices.found(context.store, params);
    const { health, healthReason } = await context.world.asked('httpService', row.id);
    if (health === 'up') return { status: 200 };
    const reason = healthReason ?? (row.enabled ? 'It has not answered yet.' : 'The service is closed.');
    throw failure.rejected(`Request to backend failed. ${reason}`);
  },
};
