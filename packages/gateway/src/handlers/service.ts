import { domainAttributes, filled, type Page } from '@sallyport/sdk/contract';
import { serviceCan, timeToLiveMs } from '@sallyport/sdk/rules';
import { failure } from '../failure.ts';
import type { ServiceKind, World } from '../ports.ts';
import type { DomainRow, HttpServiceRow, NewRow, NodeRow, TcpServiceRow } from '../store/rows.ts';
import type { ListOptions, Reader } from '../store/table.ts';
import type { StoreReader, Transaction, Writer } from '../store/transaction.ts';
import { requireAllowed, requireVersion, shownList, shownPage } from './checks.ts';
import type { Context } from './context.ts';
import { nodeOf } from './nodeOf.ts';

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
      const expiresAt = expiryOf(ttl, context.world.now()) ?? null;
      const change: Partial<NewRow<ServiceRow>> = { enabled, expiresAt };
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

/** The fields of a reply that both kinds have beside their columns. */
export const shownFacts = (kind: ServiceKind, row: ServiceRow, { world }: { world: World }) => ({
  allowedIps: shownList(row.allowedIps),
  blockedIps: shownList(row.blockedIps),
  created_at: row.createdAt,
  updated_at: row.updatedAt,
  ...world.health(kind, row.id),
  problem: world.problem(kind, row.id),
});

/** When the service closes by itself; undefined: as before. */
export function expiryOf(ttl: string | null | undefined, now: Date): string | null | undefined {
  return typeof ttl === 'string' ? new Date(now.getTime() + timeToLiveMs(ttl)).toISOString() : ttl;
}

/** The domain that a service names; one that is not known yet is made, self-signed and without validation. */
export async function ensureDomain(
  tx: Transaction,
  name: string | null,
): Promise<{ domain: DomainRow | null; created: boolean }> {
  if (name === null) return { domain: null, created: false };
  const [known] = await tx.domains.all({ domain: name });
  if (known !== undefined) return { domain: known, created: false };
  const domain = await tx.domains.create(filled(domainAttributes, { domain: name, skipValidation: true }));
  return { domain, created: true };
}

/** What is wrong with a domain that is the console's: it shares its name with nobody. */
export const CONSOLE_DOMAIN_PROBLEM = {
  field: 'domain',
  message: "This domain is the console's own and takes no other service",
};
