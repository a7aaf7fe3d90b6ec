import type { AdminRow, IdempotencyKeyRow, NodeTrafficRow, SettingRow } from './rows.ts';
import type { Connection } from './tables.ts';

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

const TABLE = 'idempotencyKeys';
/** How long a key is kept. */
export const KEY_LIFETIME_MS = 24 * 3_600_000;
/** So many keys of one caller are kept; the oldest go first. A repeated call comes within seconds. */
export const KEYS_OF_A_CALLER_MAX = 1000;

type Found = Pick<IdempotencyKeyRow, 'caller' | 'requestHash' | 'outcome'>;

/** The reading half of the idempotency keys; one that is older than a day is not there. */
export function readIdempotencyKeys({ sql, now }: Connection) {
  const limit = () => new Date(now().getTime() - KEY_LIFETIME_MS).toISOString();
  const rows = () =>
    sql.selectFrom(TABLE).where('createdAt', '>', limit()).select(['caller', 'requestHash', 'outcome']);
  return {
    async find(caller: string, keyHash: string): Promise<Found | null> {
      return (await rows().where('caller', '=', caller).where('keyHash', '=', keyHash).executeTakeFirst()) ?? null;
    },
    /** The one that was used with this token for this call, of any caller. */
    async findByToken(of: Pick<IdempotencyKeyRow, 'tokenHash' | 'keyHash' | 'call'>): Promise<Found | null> {
      const { tokenHash, keyHash, call } = of;
      const query = rows().where('keyHash', '=', keyHash).where('tokenHash', '=', tokenHash).where('call', '=', call);
      return (await query.executeTakeFirst()) ?? null;
    },
    async hasExpired(): Promise<boolean> {
      return (
        (await sql.selectFrom(TABLE).where('createdAt', '<=', limit()).select('id').executeTakeFirst()) !== undefined
      );
    },
  };
}

/** The writing half. */
export function writeIdempotencyKeys(connection: Connection) {
  const { sql, now } = connection;
  return {
    ...readIdempotencyKeys(connection),
    /** Keeps what a call came to; a call of several transactions keeps what the last one came to. */
    async keep(row: Omit<IdempotencyKeyRow, 'id' | 'createdAt'>): Promise<void> {
      const values = { ...row, createdAt: now().toISOString() };
      await sql
        .insertInto(TABLE)
        .values(values)
        .onConflict((conflict) => conflict.columns(['caller', 'keyHash']).doUpdateSet(values))
        .execute();
      const surplus = sql
        .selectFrom(TABLE)
        .where('caller', '=', row.caller)
        .select('id')
        .orderBy('id', 'desc')
        .limit(-1)
        .offset(KEYS_OF_A_CALLER_MAX);
      await sql.deleteFrom(TABLE).where('id', 'in', surplus).execute();
    },
    async remove(caller: string, keyHash: string): Promise<void> {
      await sql.deleteFrom(TABLE).where('caller', '=', caller).where('keyHash', '=', keyHash).execute();
    },
    async removeExpired(): Promise<void> {
      const limit = new Date(now().getTime() - KEY_LIFETIME_MS).toISOString();
      await sql.deleteFrom(TABLE).where('createdAt', '<=', limit).execute();
    },
  };
}

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
