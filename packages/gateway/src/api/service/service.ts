import { domainAttributes, filled, type Page, soundRows } from '@sallyport/sdk/contract';
import { serviceCan, timeToLiveMs } from '@sallyport/sdk/rules';
import { failure } from '../failure.ts';
import { isOwnName } from '../../rules/ownName.ts';
import type { ServiceKind, World } from '../../world.ts';
import type { DomainRow, HttpServiceRow, NewRow, NodeRow, Outcome, TcpServiceRow } from '../../store/rows.ts';
import type { ListOptions, Reader } from '../../store/tableQueries.ts';
import type { StoreReader, Transaction, Writer } from '../../store/transaction.ts';
import { damageProblem, requireAllowed, requireVersion, shownPage } from '../checks.ts';
import type { Context } from '../context.ts';
import { closedByCaller, closingOf, closingProblem, OPEN } from '../../rules/closing.ts';
import { nodeOf } from '../node/nodeOf.ts';

// What HTTP and TCP services have in common; what only one of them does stands in its own file.

type ServiceRow = HttpServiceRow | TcpServiceRow;
type Readers = Pick<StoreReader, 'nodes' | 'httpServices' | 'tcpServices'>;
type Params = { nodeId: number; id: number };
type Query = ListOptions<never> & { domain?: string | undefined; nodeId?: number | undefined };

/** What tells the kinds of service apart. */
type ServiceCallParts<Row extends ServiceRow, Shown> = {
  reader(at: Readers): Reader<Row>;
  writer(tx: Transaction): Writer<Row>;
  show(row: Row, context: Pick<Context, 'world' | 'settings'>): Shown;
};

/** The calls that both kinds answer alike. */
export function serviceCalls<Row extends ServiceRow, Shown>({ reader, writer, show }: ServiceCallParts<Row, Shown>) {
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

  async function list({ nodeId, domain, ...options }: Query, context: Context): Promise<Page<Shown>> {
    const where = {
      ...(nodeId !== undefined && { nodeId }),
      ...(domain !== undefined && { domain: domain.toLowerCase() }),
    } as Partial<Row>;
    return shownPage(await reader(context.store).list({ ...options, where }), (row) => show(row, context));
  }

  /** Without a time to live unless one is given: who opens a service wants it open, and a closed one has no end. */
  async function setEnabled(
    params: Params,
    { enabled, ttl = null }: { enabled: boolean; ttl?: string | null | undefined },
    context: Context,
  ): Promise<Shown> {
    await context.write(async (tx) => {
      const { row } = await found(tx, params);
      requireAllowed(enabled ? serviceCan.enable(row) : serviceCan.disable(row));
      requireVersion(row, context);
      const now = context.world.now();
      const expiresAt = expiryOf(ttl, now) ?? null;
      const closing = enabled ? OPEN : closedByCaller(context.caller, now);
      const change: Partial<NewRow<ServiceRow>> = { enabled, expiresAt, ...closing };
      if (row.enabled !== enabled || row.expiresAt !== expiresAt) {
        await writer(tx).update(row.id, change as Partial<NewRow<Row>>);
      }
    });
    return get(params, context);
  }

  return {
    found,
    get,
    list,
    async listOfNode(nodeId: number, query: Query, context: Context): Promise<Page<Shown>> {
      await nodeOf(context.store, nodeId);
      return list({ ...query, nodeId }, context);
    },
    /** @param ttl how long it stays open; null: until it is disabled */
    enable: (params: Params, context: Context, ttl?: string | null) =>
      setEnabled(params, { enabled: true, ttl }, context),
    disable: (params: Params, context: Context) => setEnabled(params, { enabled: false }, context),
    async remove(params: Params, context: Context): Promise<'Deleted!'> {
      await context.write(async (tx) => {
        const { row } = await found(tx, params);
        requireAllowed(serviceCan.remove(row));
        requireVersion(row, context);
        await writer(tx).remove(row.id);
      });
      return 'Deleted!';
    },
  };
}

/** Reads rows of a kind as they are answered, and the fields of a reply that both kinds have next to their columns. */
export function shownRows(kind: ServiceKind, entity: Parameters<typeof soundRows>[0]) {
  const sound = soundRows(entity);
  return <Row extends ServiceRow>({ createdAt, updatedAt, ...stored }: Row, { world }: { world: World }) => {
    const { row, damaged } = sound({ ...stored, created_at: createdAt, updated_at: updatedAt });
    const closing = closingOf(row, world.now());
    const problem = closingProblem(closing) ?? world.problem(kind, row.id) ?? damageProblem(damaged);
    return { row, facts: { ...world.health(kind, row.id), ...closing, problem } };
  };
}

/** When the service closes by itself; undefined: as before. */
export function expiryOf(ttl: string | null | undefined, now: Date): string | null | undefined {
  return typeof ttl === 'string' ? new Date(now.getTime() + timeToLiveMs(ttl)).toISOString() : ttl;
}

/**
 * The domain that a service of this node names; one that is not known yet is made, self-signed and without validation.
 * Unless its first service is the gateway's own, it is not reserved: it belongs to the node (`domainUse.ts`).
 */
export async function ensureDomain(
  tx: Transaction,
  name: string | null,
  { isLocal }: Pick<NodeRow, 'isLocal'>,
): Promise<{ domain: DomainRow | null; created: boolean }> {
  if (name === null) return { domain: null, created: false };
  const [known] = await tx.domains.all({ domain: name });
  if (known !== undefined) return { domain: known, created: false };
  const domain = await tx.domains.create(
    filled(domainAttributes, { domain: name, skipValidation: true, reserved: isLocal }),
  );
  return { domain, created: true };
}

/** The form of a service whose domain is not the gateway's own name: that one means no domain. */
export function withoutOwnName<Form extends { domain: string | null }>(
  form: Form,
  { settings }: Pick<Context, 'settings'>,
): { next: Form; domainIsOwnName: boolean } {
  const domainIsOwnName = form.domain !== null && isOwnName(form.domain, settings.hostNames);
  return { next: domainIsOwnName ? { ...form, domain: null } : form, domainIsOwnName };
}

type SavedFacts = { domainCreated: boolean; domainIsOwnName: boolean };

/** What a repeated request must know of a service that was changed. */
export const savedService = ({ domainCreated, domainIsOwnName }: SavedFacts): Outcome => ({
  domainCreated,
  domainIsOwnName,
});

/** What a repeated request must know of a service that was created. */
export const madeService = ({ row, ...saved }: SavedFacts & { row: { id: number } }): Outcome => ({
  id: row.id,
  ...savedService(saved),
});

/** What is wrong with a domain that is the console's: it shares its name with nobody. */
export const CONSOLE_DOMAIN_PROBLEM = {
  field: 'domain',
  message: "This domain is the console's own and takes no other service",
};
