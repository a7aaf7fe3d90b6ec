import {
  domainAttributes,
  filled,
  type HttpService,
  httpServiceAttributes,
  httpServiceInput,
  saidIn,
  type SavedHttpService,
} from '@sallyport/sdk/contract';
import {
  backendHostProblem,
  builtinLockedFields,
  requireAuthProblem,
  serviceCan,
  timeToLiveMs,
} from '@sallyport/sdk/rules';
import { failure } from '../failure.ts';
import type { DomainRow, HttpServiceRow, NodeRow } from '../store/rows.ts';
import type { Transaction } from '../store/transaction.ts';
import {
  checked,
  given,
  refuseProblems,
  requireAllowed,
  requireSameId,
  requireVersion,
  shownList,
  shownPage,
} from './checks.ts';
import type { Context } from './context.ts';
import type { HandlersOf } from './handler.ts';
import { nodeOf } from './nodeOf.ts';
import { publicUrl } from './publicUrl.ts';

/** What an administrator said about a service. */
type Form = Pick<HttpServiceRow, keyof typeof httpServiceAttributes>;

/** An HTTP service as it is answered. */
export function showHttpService(
  row: HttpServiceRow,
  { world, settings }: Pick<Context, 'world' | 'settings'>,
): HttpService {
  const { createdAt, updatedAt, ...stored } = row;
  return {
    ...stored,
    allowedIps: shownList(row.allowedIps),
    blockedIps: shownList(row.blockedIps),
    created_at: createdAt,
    updated_at: updatedAt,
    ssl: true,
    publicAccess: publicUrl(row, settings),
    health: 'unknown',
    healthReason: null,
    problem: world.problem('httpService', row.id),
  };
}

/** The service of that node; one of another node is not there. */
async function found(
  at: Pick<Transaction, 'nodes' | 'httpServices'> | Context['store'],
  { nodeId, id }: { nodeId: number; id: number },
): Promise<{ node: NodeRow; row: HttpServiceRow }> {
  const node = await nodeOf(at, nodeId);
  const row = await at.httpServices.get(id);
  if (row === null || row.nodeId !== nodeId) throw failure.notFound('Service not found');
  return { node, row };
}

async function shown(params: { nodeId: number; id: number }, context: Context): Promise<HttpService> {
  return showHttpService((await found(context.store, params)).row, context);
}

/** The whole of what is said about a service, once a change is made to what was said before. */
function formOf(before: Partial<Form>, change: Partial<Record<keyof Form, unknown>>): Form {
  const said = { ...saidIn(httpServiceAttributes, before), ...given(change) };
  checked(httpServiceInput, said);
  return filled(httpServiceAttributes, said);
}

/** When the service closes by itself; undefined: as before. */
function expiryOf(ttl: string | null | undefined, now: Date): string | null | undefined {
  return typeof ttl === 'string' ? new Date(now.getTime() + timeToLiveMs(ttl)).toISOString() : ttl;
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
  const neighbours = next.domain === null ? [] : await tx.httpServices.all({ domain: next.domain });
  const others = neighbours.filter(({ id }) => id !== before?.id);
  const withConsole = before?.builtin
    ? others.length > 0 || (next.domain !== null && (await tx.tcpServices.all({ domain: next.domain })).length > 0)
    : others.some(({ builtin }) => builtin);
  refuseProblems([
    backendHostProblem(node, next.backendHost),
    !authAsBefore && requireAuthProblem(next.requireAuth, domain),
    withConsole && {
      field: 'domain',
      message: before?.builtin
        ? 'The console needs a domain of its own: this one has services already'
        : "This domain is the console's own and takes no other service",
    },
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

/** The domain that a service names; one that is not known yet is made, self-signed and without validation. */
async function ensureDomain(
  tx: Transaction,
  name: string | null,
): Promise<{ domain: DomainRow | null; created: boolean }> {
  if (name === null) return { domain: null, created: false };
  const [known] = await tx.domains.all({ domain: name });
  if (known !== undefined) return { domain: known, created: false };
  const domain = await tx.domains.create(filled(domainAttributes, { domain: name, skipValidation: true }));
  return { domain, created: true };
}

async function setEnabled(
  params: { nodeId: number; id: number },
  enabled: boolean,
  context: Context,
): Promise<HttpService> {
  await context.write(async (tx) => {
    const { row } = await found(tx, params);
    requireAllowed(enabled ? serviceCan.enable(row) : serviceCan.disable(row));
    requireVersion(row, context);
    if (row.enabled !== enabled || row.expiresAt !== null) {
      await tx.httpServices.update(row.id, { enabled, expiresAt: null });
    }
  });
  return shown(params, context);
}

export const httpServiceHandlers: HandlersOf<'httpService'> = {
  async 'httpService.listAll'({ query: { nodeId, domain, ...options } }, context) {
    const where = {
      ...(nodeId !== undefined && { nodeId }),
      ...(domain !== undefined && { domain: domain.toLowerCase() }),
    };
    return shownPage(await context.store.httpServices.list({ ...options, where }), (row) =>
      showHttpService(row, context),
    );
  },

  async 'httpService.list'({ params: { nodeId }, query: { domain, ...options } }, context) {
    await nodeOf(context.store, nodeId);
    const where = { nodeId, ...(domain !== undefined && { domain: domain.toLowerCase() }) };
    return shownPage(await context.store.httpServices.list({ ...options, where }), (row) =>
      showHttpService(row, context),
    );
  },

  'httpService.get': ({ params }, context) => shown(params, context),

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
    return { ...(await shown({ nodeId, id: row.id }, context)), domainCreated };
  },

  async 'httpService.update'({ params, body: { id: bodyId, ttl, ...patch } }, context): Promise<SavedHttpService> {
    requireSameId(bodyId, params.id);
    const domainCreated = await context.write(async (tx) => {
      const { node, row } = await found(tx, params);
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
    return { ...(await shown(params, context)), domainCreated };
  },

  'httpService.enable': ({ params }, context) => setEnabled(params, true, context),
  'httpService.disable': ({ params }, context) => setEnabled(params, false, context),

  async 'httpService.remove'({ params }, context) {
    await context.write(async (tx) => {
      const { row } = await found(tx, params);
      requireAllowed(serviceCan.remove(row));
      requireVersion(row, context);
      await tx.httpServices.remove(row.id);
    });
    return 'Deleted!';
  },
};
