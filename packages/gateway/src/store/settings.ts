import type { AdminRow, SettingRow } from './rows.ts';
import type { Connection } from './tableQueries.ts';

type SettingKey = SettingRow['key'];

export function readSettings({ sql }: Connection) {
  return {
    async get(key: SettingKey): Promise<string | null> {
      const row: { value: unknown } | undefined = await sql
        .selectFrom('settings')
        .where('key', '=', key)
        .select('value')
        .executeTakeFirst();
      return row === undefined ? null : String(row.value);
    },
  };
}

export function writeSettings(connection: Connection) {
  return {
    ...readSettings(connection),
    async set(key: SettingKey, value: string): Promise<void> {
      await connection.sql
        .insertInto('settings')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute();
    },
  };
}

const ADMIN_ID = 1;

/** The administrator, as far as there is one yet. */
export function readAdmin(connection: Connection) {
  return {
    async get(): Promise<AdminRow | null> {
      const row: Record<keyof AdminRow, unknown> | undefined = await connection.sql
        .selectFrom('admin')
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
        .insertInto('admin')
        .values({ id: ADMIN_ID, ...admin })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(admin))
        .execute();
    },
  };
}
