import type { AdminRow } from './rows.ts';
import type { Connection } from './table.ts';

const TABLE = 'admin';
const ADMIN_ID = 1;

/** The administrator, as far as there is one yet. */
export function readAdmin(connection: Connection) {
  return {
    async get(): Promise<AdminRow | null> {
      const row: Record<keyof AdminRow, unknown> | undefined = await connection.sql
        .selectFrom(TABLE)
        .selectAll()
        .executeTakeFirst();
      if (row === undefined) return null;
      // A damaged value becomes a text that matches no sign-in.
      return { id: ADMIN_ID, username: String(row.username), passwordHash: String(row.passwordHash) };
    },
  };
}

/** Sets the one administrator. */
export function writeAdmin(connection: Connection) {
  return {
    ...readAdmin(connection),
    async set(admin: Omit<AdminRow, 'id'>): Promise<void> {
      await connection.sql
        .insertInto(TABLE)
        .values({ id: ADMIN_ID, ...admin })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(admin))
        .execute();
    },
  };
}
