import type { Connection } from './table.ts';

/** What the gateway decided once and keeps: a key and a text. */
export type SettingKey =
  | 'httpPort'
  | 'httpsPort'
  | 'serverPublicKey'
  | 'serverSealedPrivateKey'
  /** A text that only the right key file opens, whatever became of the rows. */
  | 'sealedCheck'
  /** The public key that the gateway had before its keys were replaced: by it the former interface is recognised. */
  | 'formerServerPublicKey'
  /** The public keys of nodes whose hosts have to join again, as JSON. */
  | 'rejoiningKeys'
  /** Since when domains promise to be reached by HTTPS alone, as JSON. */
  | 'hstsPromises';

const TABLE = 'settings';

export function readSettings({ sql }: Connection) {
  return {
    async get(key: SettingKey): Promise<string | null> {
      const row = await sql.selectFrom(TABLE).where('key', '=', key).select('value').executeTakeFirst();
      return row === undefined ? null : String(row['value']);
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
