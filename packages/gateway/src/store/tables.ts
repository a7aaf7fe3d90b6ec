import type { NodeTrafficRow } from './rows.ts';
import type { Connection, TableShape } from './tableQueries.ts';

// How each table of objects is listed and searched, and what two of its rows must not share.

/** Nodes; the local one comes first in every list. */
export const nodes = {
  name: 'nodes',
  searchable: ['name', 'address'],
  orderable: ['id', 'name', 'address', 'isGateway', 'createdAt'],
  first: 'isLocal',
  unique: ['address', 'name'],
} as const satisfies TableShape<'nodes'>;

/** Domains. */
export const domains = {
  name: 'domains',
  searchable: ['domain'],
  orderable: ['id', 'domain', 'ssl', 'createdAt'],
  unique: ['domain'],
} as const satisfies TableShape<'domains'>;

/** HTTP services; a domain and a path belong to one of them alone. */
export const httpServices = {
  name: 'httpServices',
  searchable: ['name', 'domain', 'pathLocation', 'backendHost'],
  orderable: ['id', 'name', 'domain', 'pathLocation', 'enabled', 'createdAt'],
  unique: ['domain', 'pathLocation'],
} as const satisfies TableShape<'httpServices'>;

/** TCP and UDP services. */
export const tcpServices = {
  name: 'tcpServices',
  searchable: ['name', 'domain', 'backendHost'],
  orderable: ['id', 'name', 'domain', 'port', 'enabled', 'createdAt'],
  unique: ['port'],
} as const satisfies TableShape<'tcpServices'>;

/** The nodes' access tokens. */
export const tokens = {
  name: 'nodeTokens',
  searchable: ['name'],
  orderable: ['id', 'name', 'expireAt', 'createdAt'],
  unique: ['tokenHash'],
} as const satisfies TableShape<'nodeTokens'>;

/** Notes that a token is used now. That is no change of the token: its version stays. */
export async function noteUse({ sql, now }: Connection, id: number): Promise<void> {
  const lastUsedAt = now().toISOString();
  await sql.updateTable(tokens.name).set({ lastUsedAt }).where('id', '=', id).execute();
}

/** What two names of nodes must not have in common: to people `Edge` and `edge` are one name. A damaged row may hold anything. */
export const nodeNameKey = (name: unknown): string => String(name).normalize('NFC').toLowerCase();

/** The reading half of what WireGuard counted. */
export function readNodeTraffic({ sql }: Connection) {
  return {
    async all(): Promise<NodeTrafficRow[]> {
      return sql.selectFrom('nodeTraffic').selectAll().execute();
    },
  };
}

/** The writing half. */
export function writeNodeTraffic(connection: Connection) {
  return {
    ...readNodeTraffic(connection),
    /** Keeps these counts; those of a node that is gone meanwhile are dropped. */
    async save(rows: readonly NodeTrafficRow[]): Promise<void> {
      for (const row of rows) {
        const isThere = await connection.sql
          .selectFrom('nodes')
          .where('id', '=', row.nodeId)
          .select('id')
          .executeTakeFirst();
        if (isThere === undefined) continue;
        const { nodeId: _, ...counts } = row;
        await connection.sql
          .insertInto('nodeTraffic')
          .values(row)
          .onConflict((conflict) => conflict.column('nodeId').doUpdateSet(counts))
          .execute();
      }
    },
  };
}
