import type { Page, ServiceQuery, ServiceType } from '@sallyport/sdk/contract';
import { type RawBuilder, sql } from 'kysely';
import { camelCase } from './sqlite.ts';
import { type Connection, containing } from './tables.ts';
import { hasTags, tagsContain } from './tags.ts';

/** Which service: ids are unique within a kind. */
export type ServiceKey = { type: ServiceType; id: number };

/** What the addresses of services without a domain, and of HTTP services in general, are made of. */
export type AddressParts = {
  /** The gateway's own name or address, as it stands in a URL. */
  ownHost: string;
  /** `:8443`; `''` where it goes without saying. */
  httpsPort: string;
  consolePort: string;
};

/** Which services of both kinds, and in which order; all that is said must be so. */
export type WantedServices = Omit<ServiceQuery, 'page' | 'limit' | 'status'> & {
  /** Only of these nodes; null: of all. */
  nodeIds: readonly number[] | null;
  address: AddressParts;
};

/** The columns that each order goes by; a service without a value in one comes first. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  id: ['id', 'type'],
  name: ['name'],
  node: ['node_name', 'name'],
  address: ['host', 'type', 'path_location', 'port'],
  domain: ['domain', 'path_location'],
  pathLocation: ['path_location'],
  port: ['port'],
  enabled: ['enabled'],
  createdAt: ['created_at'],
};

const HAS_LIST = sql`(coalesce(allowed_ips, '[]') not in ('[]', 'null') or coalesce(blocked_ips, '[]') not in ('[]', 'null'))`;

const ACCESSES: Readonly<Record<NonNullable<ServiceQuery['access']>, RawBuilder<unknown>>> = {
  open: sql`not require_auth and not ${HAS_LIST}`,
  'sign-in': sql`require_auth`,
  list: HAS_LIST,
};

/** The services of both kinds as one list: which of them are wanted, in order. */
export function serviceKeysOf({ sql: db }: Connection) {
  return {
    /** A page of them; without a limit all. What a status is the database does not know. */
    async keys(
      wanted: WantedServices,
      { page = 1, limit }: Pick<ServiceQuery, 'page' | 'limit'>,
    ): Promise<Page<ServiceKey>> {
      const conditions = conditionsOf(wanted);
      const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
      const { rows } = await sql<ServiceKey>`
        select type, id from (${bothKinds(wanted.address)}) ${where} order by ${orderOf(wanted.orderBy)}
      `.execute(db);
      const total = rows.length;
      if (limit === undefined) return { data: rows, page: 1, limit: total, total };
      return { data: rows.slice((page - 1) * limit, page * limit), page, limit, total };
    },
  };
}

/** What both kinds have in common, with the address and the backend as people read them. */
const bothKinds = ({ ownHost, httpsPort, consolePort }: AddressParts) => sql`
  select 'http' as type, null as proto, s.id, s.name, s.node_id, nodes.name as node_name, s.domain, s.path_location,
    null as port, s.enabled, s.created_at, s.tags, s.notes, s.allowed_ips, s.blocked_ips, s.require_auth,
    coalesce(s.domain, ${ownHost}) as host,
    'https://' || coalesce(s.domain, ${ownHost}) ||
      case when s.builtin and s.domain is null then ${consolePort} else ${httpsPort} end || s.path_location as address,
    s.backend_proto || '://' || coalesce(s.backend_host, nodes.address) || ':' || s.backend_port as backend
  from http_services s join nodes on nodes.id = s.node_id
  union all
  select 'tcp', s.proto, s.id, s.name, s.node_id, nodes.name, s.domain, null,
    s.port, s.enabled, s.created_at, s.tags, s.notes, s.allowed_ips, s.blocked_ips, false,
    coalesce(s.domain, ${ownHost}),
    s.proto || '://' || coalesce(s.domain, ${ownHost}) || ':' || s.port,
    s.proto || '://' || coalesce(s.backend_host, nodes.address) || ':' || s.backend_port
  from tcp_services s join nodes on nodes.id = s.node_id
`;

function conditionsOf(wanted: WantedServices): RawBuilder<unknown>[] {
  const { search, tag = [], nodeIds, nodeId, domain, type, proto, access } = wanted;
  const conditions: RawBuilder<unknown>[] = tag.length === 0 ? [] : [hasTags(tag)];
  if (nodeIds !== null) conditions.push(nodeIds.length === 0 ? sql`false` : sql`node_id in (${sql.join(nodeIds)})`);
  if (nodeId !== undefined) conditions.push(sql`node_id = ${nodeId}`);
  if (domain !== undefined) conditions.push(sql`domain = ${domain.toLowerCase()}`);
  if (type !== undefined) conditions.push(sql`type = ${type}`);
  if (proto !== undefined) conditions.push(sql`proto = ${proto}`);
  if (access !== undefined) conditions.push(ACCESSES[access]);
  if (search) {
    const found = ['name', 'address', 'backend', 'node_name', 'notes'].map((column) =>
      containing(sql.ref(column), search),
    );
    conditions.push(sql`(${sql.join([...found, tagsContain(search)], sql` or `)})`);
  }
  return conditions;
}

function orderOf(orderBy: WantedServices['orderBy']): RawBuilder<unknown> {
  const [column = '', direction] = orderBy?.split(',') ?? [];
  const way = direction === 'desc' ? sql`desc` : sql`asc`;
  const columns = (ORDERS[camelCase(column)] ?? []).map((name) => sql`${sql.ref(name)} collate nocase ${way}`);
  // Always last: pages of rows that are equal in the column must not overlap.
  return sql.join([...columns, sql`type`, sql`id`]);
}
