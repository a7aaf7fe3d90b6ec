import type { SettingRow } from './rows.ts';
import type { Connection } from './table.ts';

type SettingKey = SettingRow['key'];

const TABLE = 'settings';

export function readSettings({ sql }: Connection) {
  return {
    async get(key: SettingKey): Promise<string | null> {
      const row: { value: unknown } | undefined = await sql
        .selectFrom(TABLE)
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
        .insertInto(TABLE)
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute();
    },
  };
}
