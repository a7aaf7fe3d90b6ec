import type { NodeTrafficRow } from './rows.ts';
import type { Connection } from './table.ts';

const TABLE = 'nodeTraffic';

/** The reading half of what was counted. */
export function readNodeTraffic({ sql }: Connection) {
  return {
    async all(): Promise<NodeTrafficRow[]> {
      return sql.selectFrom(TABLE).selectAll().execute();
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
          .insertInto(TABLE)
          .values(row)
          .onConflict((conflict) => conflict.column('nodeId').doUpdateSet(counts))
          .execute();
      }
    },
  };
}
