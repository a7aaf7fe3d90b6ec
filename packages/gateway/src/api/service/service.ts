import { domainAttributes, withDefaults, type Page } from '@sallyport/sdk/contract';
import { serviceCan, timeToLiveMs } from '@sallyport/sdk/rules';
import { answeredRows, damageProblem, shownPage } from '../entities.ts';
import { failure, refuseProblems, requireAllowed, requireVersion } from '../failure.ts';
import { isOwnName } from '../../rules/domainName.ts';
import type { ServiceKind, World } from '../../world.ts';
import type { DomainRow, HttpServiceRow, NewRow, NodeRow, Outcome, TcpServiceRow } from '../../store/rows.ts';
import type { ListOptions, Reader } from '../../store/tables.ts';
import type { StoreReader, Transaction, Writer } from '../../store/transaction.ts';
import type { Context } from '../context.ts';
import { watchValue, type Watch } from '../watch.ts';
import { closedByCaller, closingOf, closingProblem, OPEN } from '../../rules/closing.ts';
import { nodesOf, requireRight } from '../identity.ts';
import { formerUseProblem, type Placed, releaseDomain, requireOwnCertificate, requireUsable } from '../domain/use.ts';
import { nodeOf } from '../node/nodeRows.ts';
import { requireWithinQuota } from '../node/tokenLimits.ts';

// What HTTP and TCP services have in common; what only one of them does stands in its own file.

type ServiceRow = HttpServiceRow | TcpServiceRow;
type Readers = Pick<StoreReader, 'nodes' | 'httpServices' | 'tcpServices'>;
type Params = { nodeId: number; id: number };
type Query = ListOptions<never> & { id?: number | undefined; domain?: string | undefined; nodeId?: number | undefined };

/** A service as it is to be, with what that depends on; `before` is null for a new one. */
export type Wanted<Row extends ServiceRow, Form> = {
  next: Form;
  before: Row | null;
  node: NodeRow;
  domain: DomainRow | null;
};

/** What tells the kinds of service apart. `Form` is what is said about one, its public port left out. */
type ServiceCallParts<Row extends ServiceRow, Form, Shown> = {
  kind: ServiceKind;
  reader(at: Readers): Reader<Row>;
  writer(tx: Transaction): Writer<Row>;
  show(row: Row, context: Pick<Context, 'world' | 'settings'>): Shown;
  /** The whole of what is said about a service, once a change is made to what was said before. @throws {Failure} 422 */
  formOf(before: Partial<Form>, change: Change<Form>): Form;
  /** Whether a port is opened or prepared by this: the certificate of its domain must be the node's own then. */
  opensPort(before: Row | null, next: Partial<Row>): boolean;
  /** Refuses what its node, its domain or its neighbours do not allow. */
  requirePossible(tx: Transaction, wanted: Wanted<Row, Form>): Promise<void>;
  /** What else is written once that is possible. */
  writeAlso?(tx: Transaction, wanted: Wanted<Row, Form>, settings: Context['settings']): Promise<void>;
};

type Change<Form> = Partial<Record<keyof Form, unknown>>;
/** What a call asks for; `columns` are those that are not of the form. */
type Wish<Row, Form> = { change: Change<Form>; ttl: string | null | undefined; columns?: Partial<NewRow<Row>> };
/** A change that both kinds know, and that leaves a service where it is. */
export type MinorChange = { change: { tags?: string[] }; ttl: string | null | undefined };
type SavedFacts = { domainCreated: boolean; domainIsOwnName: boolean };

/** The columns of a service that is opened. */
export const OPENED = { enabled: true, ...OPEN };

/** The calls that both kinds answer alike. */
export function serviceCalls<
  Row extends ServiceRow,
  Form extends Pick<Row, 'domain' | 'allowedIps' | 'blockedIps'>,
  Shown,
>({ kind, reader, writer, show, formOf, opensPort, requirePossible, writeAlso }: ServiceCallParts<Row, Form, Shown>) {
  /** The service of that node; one of another node is not there. */
  async function found(at: Readers, { nodeId, id }: Params): Promise<{ node: NodeRow; row: Row }> {
    const node = await nodeOf(at, nodeId);
    const row = await reader(at).get(id);
    if (row === null || row.nodeId !== nodeId) throw failure.notFound('Service not found');
    return { node, row };
  }

  async function get(params: Params, context: Context): Promise<Shown> {
    return show((await found(context.store, params)).row, context);
  }

  async function list({ id, nodeId, domain, ...options }: Query, context: Context): Promise<Page<Shown>> {
    const nodes = nodesOf(context.caller);
    const among = (nodes === null ? {} : { nodeId: nodes }) as ListOptions<Row>['among'];
    const where = {
      ...(id !== undefined && { id }),
      ...(nodeId !== undefined && { nodeId }),
      ...(domain !== undefined && { domain: domain.toLowerCase() }),
    } as Partial<Row>;
    return shownPage(await reader(context.store).list({ ...options, where, among }), (row) => show(row, context));
  }

  /** The stream of a page of services: the whole page, whenever a service was changed or something was found out. */
  const watch = (query: Query, context: Context): Watch<Page<Shown>> =>
    watchValue({
      key: `${kind}.watch ${JSON.stringify(query)}`,
      read: () => list(query, context),
      subscribe(signal) {
        const stops = [
          context.store.onChange((changes) => {
            if (changes.some((change) => change.kind === kind)) signal();
          }),
          context.world.onFindings(signal),
        ];
        return () => stops.forEach((stop) => stop());
      },
      failed: context.failed,
    });

  /** Without a time to live unless one is given: who opens a service wants it open, and a closed one has no end. */
  async function setEnabled(
    tx: Transaction,
    params: Params,
    { enabled, ttl = null }: { enabled: boolean; ttl?: string | null | undefined },
    context: Context,
  ): Promise<void> {
    const { node, row } = await found(tx, params);
    requireAllowed(enabled ? serviceCan.enable(row) : serviceCan.disable(row));
    requireVersion(row, context);
    if (opensPort(row, { ...row, enabled })) await requireOwnCertificate(tx, context, { node, next: row });
    const now = context.world.now();
    const expiresAt = expiryOf(ttl, now) ?? null;
    const state = enabled ? OPENED : { enabled, ...closedByCaller(context.caller, now) };
    const change: Partial<NewRow<ServiceRow>> = { ...state, expiresAt };
    if (row.enabled !== enabled || row.expiresAt !== expiresAt) {
      await writer(tx).update(row.id, change as Partial<NewRow<Row>>);
    }
  }

  /** @param requireChangeable refuses what cannot be said of the service as it is now */
  async function update(
    tx: Transaction,
    params: Params,
    { change, ttl, columns }: Wish<Row, Form>,
    context: Context,
    requireChangeable: (row: Row) => void,
  ): Promise<SavedFacts & { id: number }> {
    const { node, row } = await found(tx, params);
    requireVersion(row, context);
    requireChangeable(row);
    const { next, ...saved } = await settle(tx, context, { change, before: row, node, columns });
    const expiresAt = expiryOf(ttl, context.world.now());
    const changed = { ...next, ...columns, ...(expiresAt !== undefined && { expiresAt }) };
    await writer(tx).update(row.id, changed as unknown as Partial<NewRow<Row>>);
    await releaseDomain(tx, context, { before: row, next });
    return { id: row.id, ...saved };
  }

  async function remove(tx: Transaction, params: Params, context: Context): Promise<void> {
    const { row } = await found(tx, params);
    requireAllowed(serviceCan.remove(row));
    requireVersion(row, context);
    await writer(tx).remove(row.id);
  }

  /** What a service is to be, its domain made if need be. @throws {Failure} 400 and 422 for what cannot be */
  async function settle(
    tx: Transaction,
    context: Context,
    {
      change,
      before,
      node,
      columns = {},
    }: Pick<Wish<Row, Form>, 'change'> & {
      before: Row | null;
      node: NodeRow;
      columns: Partial<NewRow<Row>> | undefined;
    },
  ): Promise<SavedFacts & { next: Form }> {
    const form = formOf((before ?? {}) as Partial<Form>, change);
    // The gateway's own name means no domain.
    const domainIsOwnName = form.domain !== null && isOwnName(form.domain, context.settings.hostNames);
    const next = domainIsOwnName ? { ...form, domain: null } : form;
    await requireWithinQuota(tx, context, { node, next, before, takesPort: kind === 'tcpService' });
    await requireUsable(tx, context, { node, next, before });
    const saved = { ...before, ...next, ...columns } as Partial<Row> & Placed;
    if (opensPort(before, saved)) await requireOwnCertificate(tx, context, { node, next: saved });
    const { domain, created: domainCreated } = await ensureDomain(tx, next.domain, node, context);
    const wanted = { next, before, node, domain };
    await requirePossible(tx, wanted);
    refuseProblems([await formerUseProblem(tx, wanted)]);
    await writeAlso?.(tx, wanted, context.settings);
    return { next, domainCreated, domainIsOwnName };
  }

  return {
    found,
    get,
    list,
    watch,
    /** The services of a node that have a name. */
    named: (at: Readers, nodeId: number, name: string): Promise<Row[]> =>
      reader(at).all({ nodeId, name } as Partial<Row>),
    async create(
      nodeId: number,
      { change, ttl, columns }: Wish<Row, Form>,
      context: Context,
    ): Promise<Shown & SavedFacts> {
      const { id, ...facts } = await context.write(async (tx) => {
        const node = await nodeOf(tx, nodeId);
        const { next, ...saved } = await settle(tx, context, { change, before: null, node, columns });
        const expiresAt = expiryOf(ttl, context.world.now()) ?? null;
        const row = { ...next, ...columns, ...OPENED, nodeId, expiresAt };
        return { id: (await writer(tx).create(row as unknown as NewRow<Row>)).id, ...saved };
      }, outcomeOf);
      return { ...(await get({ nodeId, id }, context)), ...facts };
    },
    async update(
      params: Params,
      wish: Wish<Row, Form>,
      context: Context,
      requireChangeable: (row: Row) => void,
    ): Promise<Shown & SavedFacts> {
      const work = (tx: Transaction) => update(tx, params, wish, context, requireChangeable);
      const { id: _, ...facts } = await context.write(work, outcomeOf);
      return { ...(await get(params, context)), ...facts };
    },
    async listOfNode(nodeId: number, query: Query, context: Context): Promise<Page<Shown>> {
      await nodeOf(context.store, nodeId);
      return list({ ...query, nodeId }, context);
    },
    /** @param ttl how long it stays open; null: until it is disabled */
    async enable(params: Params, context: Context, ttl?: string | null): Promise<Shown> {
      await context.write((tx) => setEnabled(tx, params, { enabled: true, ttl }, context));
      return get(params, context);
    },
    async disable(params: Params, context: Context): Promise<Shown> {
      await context.write((tx) => setEnabled(tx, params, { enabled: false }, context));
      return get(params, context);
    },
    async remove(params: Params, context: Context): Promise<'Deleted!'> {
      await context.write((tx) => remove(tx, params, context));
      return 'Deleted!';
    },
    /** The same changes, for a caller who makes several in one transaction (`bulk.ts`). */
    within: { setEnabled, update, remove },
  };
}

/** Reads rows of a kind as they are answered, and the fields of a reply that both kinds have next to their columns. */
export function shownRows(kind: ServiceKind, entity: Parameters<typeof answeredRows>[0]) {
  const answered = answeredRows(entity);
  return <Row extends ServiceRow>(stored: Row, { world }: { world: World }) => {
    const { row, damaged } = answered(stored);
    const closing = closingOf(row, world.now());
    const problem = closingProblem(closing) ?? world.problem(kind, row.id) ?? damageProblem(damaged);
    return { row, facts: { ...world.health(kind, row.id), ...closing, problem } };
  };
}

/** When the service closes by itself; undefined: as before. */
function expiryOf(ttl: string | null | undefined, now: Date): string | null | undefined {
  return typeof ttl === 'string' ? new Date(now.getTime() + timeToLiveMs(ttl)).toISOString() : ttl;
}

/**
 * The domain that a service of this node names; one that is not known yet is made, self-signed and without validation.
 * Unless its first service is the gateway's own, it is not reserved: it belongs to the node (`domain/use.ts`).
 */
async function ensureDomain(
  tx: Transaction,
  name: string | null,
  { isLocal }: Pick<NodeRow, 'isLocal'>,
  { caller }: Pick<Context, 'caller'>,
): Promise<{ domain: DomainRow | null; created: boolean }> {
  if (name === null) return { domain: null, created: false };
  const [known] = await tx.domains.all({ domain: name });
  if (known !== undefined) return { domain: known, created: false };
  requireRight(caller, 'domains:write');
  const domain = await tx.domains.create({
    ...withDefaults(domainAttributes, { domain: name, skipValidation: true, reserved: isLocal }),
    cameWithService: !isLocal,
  });
  return { domain, created: true };
}

/** What a repeated request must know of a service that was saved. */
const outcomeOf = ({ id, domainCreated, domainIsOwnName }: SavedFacts & { id: number }): Outcome => ({
  id,
  domainCreated,
  domainIsOwnName,
});

/** What is wrong with a domain that is the console's: it shares its name with no other service. */
export const CONSOLE_DOMAIN_PROBLEM = {
  field: 'domain',
  message: "This domain is the console's own and takes no other service",
};
