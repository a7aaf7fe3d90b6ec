import { randomUUID } from 'node:crypto';
import { highestNumber, raiseNumbers } from './sqlite.ts';
import type { AdminRow, FormerNameRow, IdempotencyKeyRow, NodeTrafficRow, SettingRow } from './rows.ts';
import type { Connection } from './tables.ts';

/** What the gateway decided once and keeps. */
export function settingsOf({ sql }: Connection) {
  return {
    async get(key: SettingRow['key']): Promise<string | null> {
      const query = sql.selectFrom('settings').where('key', '=', key).select('value');
      const row: { value: unknown } | undefined = await query.executeTakeFirst();
      return row === undefined ? null : String(row.value);
    },
    async set(key: SettingRow['key'], value: string): Promise<void> {
      const insert = sql.insertInto('settings').values({ key, value });
      await insert.onConflict((conflict) => conflict.column('key').doUpdateSet({ value })).execute();
    },
    async remove(key: SettingRow['key']): Promise<void> {
      await sql.deleteFrom('settings').where('key', '=', key).execute();
    },
  };
}

/**
 * A database, and how far it has come. A copy that is put back has come less far than what was made of it meanwhile. No
 * object has a higher number than there were changes.
 */
export type History = { database: string; changes: number };

export function historyOf(connection: Connection) {
  const settings = settingsOf(connection);
  const get = async (): Promise<History | null> => readHistory((await settings.get('history')) ?? '');
  return {
    /** Null: nothing has changed since an earlier version, which did not count. */
    get,
    /** To be called in each transaction that changes objects, with how many. */
    async count(objects: number): Promise<void> {
      const { database, changes } = (await get()) ?? {
        database: randomUUID(),
        changes: await highestNumber(connection.sql),
      };
      await settings.set('history', writeHistory({ database, changes: changes + objects }));
    },
    /**
     * Makes another database of this one: what is made from now on has numbers that none of either has.
     * @param others how far the other one has come
     */
    async branch(others: number): Promise<void> {
      const own = (await get())?.changes ?? 0;
      const changes = Math.max(own, others, await highestNumber(connection.sql)) + 1;
      await raiseNumbers(connection.sql, changes);
      await settings.set('history', writeHistory({ database: randomUUID(), changes }));
    },
  };
}

export const writeHistory = ({ database, changes }: History): string => `${database} ${changes}`;

/** Null: the text is none that `writeHistory` wrote. */
export function readHistory(text: string): History | null {
  const [, database, changes] = /^([0-9a-f-]{36}) (\d{1,15})$/.exec(text) ?? [];
  return database === undefined ? null : { database, changes: Number(changes) };
}

/** The names under which the console and nodes have, or had, their websites. */
export function formerNamesOf({ sql }: Connection) {
  return {
    async has(row: FormerNameRow): Promise<boolean> {
      const query = sql.selectFrom('formerNames').where('name', '=', row.name).where('usedBy', '=', row.usedBy);
      return (await query.select('name').executeTakeFirst()) !== undefined;
    },
    async add(row: FormerNameRow): Promise<void> {
      const insert = sql.insertInto('formerNames').values(row);
      await insert.onConflict((conflict) => conflict.doNothing()).execute();
    },
  };
}

/** So long a public port stays with the node that left it: clients know nothing of a service but its port. */
export const FORMER_PORT_MS = 30 * 24 * 3_600_000;
/** So many ports stay with a node, those that it left last: it must not take them all. */
export const FORMER_PORTS_OF_A_NODE_MAX = 50;

/** The public ports that services of nodes left. */
export function formerPortsOf({ sql, now }: Connection) {
  return {
    /** Those that stay with other nodes. */
    async ofOthers(nodeId: number): Promise<ReadonlySet<number>> {
      const since = new Date(now().getTime() - FORMER_PORT_MS).toISOString();
      const query = sql.selectFrom('formerPorts').where('nodeId', '!=', nodeId).where('leftAt', '>', since);
      return new Set((await query.select('port').execute()).map(({ port }) => port));
    },
    async add(port: number, nodeId: number): Promise<void> {
      // A damaged row has neither.
      if (!Number.isSafeInteger(port) || !Number.isSafeInteger(nodeId)) return;
      const row = { nodeId, leftAt: now().toISOString() };
      const insert = sql.insertInto('formerPorts').values({ port, ...row });
      await insert.onConflict((conflict) => conflict.column('port').doUpdateSet(row)).execute();
      const ofNode = sql.selectFrom('formerPorts').where('nodeId', '=', nodeId).select('port');
      const kept = ofNode.orderBy('leftAt', 'desc').limit(FORMER_PORTS_OF_A_NODE_MAX);
      await sql.deleteFrom('formerPorts').where('nodeId', '=', nodeId).where('port', 'not in', kept).execute();
    },
  };
}

const ADMIN_ID = 1;

/** The one administrator, as far as there is one yet. */
export function adminOf({ sql }: Connection) {
  return {
    async get(): Promise<AdminRow | null> {
      const query = sql.selectFrom('admin').selectAll();
      const row: Record<keyof AdminRow, unknown> | undefined = await query.executeTakeFirst();
      if (row === undefined) return null;
      // A damaged value becomes a text that matches no sign-in.
      return { id: ADMIN_ID, username: String(row.username), passwordHash: String(row.passwordHash) };
    },
    async set(admin: Omit<AdminRow, 'id'>): Promise<void> {
      const insert = sql.insertInto('admin').values({ id: ADMIN_ID, ...admin });
      await insert.onConflict((conflict) => conflict.column('id').doUpdateSet(admin)).execute();
    },
  };
}

const KEYS = 'idempotencyKeys';
/** How long a key is kept. */
export const KEY_LIFETIME_MS = 24 * 3_600_000;
/** So many keys of one caller are kept; the oldest go first. A repeated call comes within seconds. */
export const KEYS_OF_A_CALLER_MAX = 1000;

type Found = Pick<IdempotencyKeyRow, 'caller' | 'requestHash' | 'outcome'>;

/** The idempotency keys; one that is older than a day is not there. */
export function idempotencyKeysOf({ sql, now }: Connection) {
  const limit = () => new Date(now().getTime() - KEY_LIFETIME_MS).toISOString();
  const rows = () => sql.selectFrom(KEYS).where('createdAt', '>', limit()).select(['caller', 'requestHash', 'outcome']);
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
      const query = sql.selectFrom(KEYS).where('createdAt', '<=', limit()).select('id');
      return (await query.executeTakeFirst()) !== undefined;
    },
    /** Keeps what a call came to, also in the place of a key that has expired. */
    async keep(row: Omit<IdempotencyKeyRow, 'id' | 'createdAt'>): Promise<void> {
      const values = { ...row, createdAt: now().toISOString() };
      const insert = sql.insertInto(KEYS).values(values);
      await insert.onConflict((conflict) => conflict.columns(['caller', 'keyHash']).doUpdateSet(values)).execute();
      const own = sql.selectFrom(KEYS).where('caller', '=', row.caller).select('id').orderBy('id', 'desc');
      await sql.deleteFrom(KEYS).where('id', 'in', own.limit(-1).offset(KEYS_OF_A_CALLER_MAX)).execute();
    },
    async remove(caller: string, keyHash: string): Promise<void> {
      await sql.deleteFrom(KEYS).where('caller', '=', caller).where('keyHash', '=', keyHash).execute();
    },
    async removeExpired(): Promise<void> {
      await sql.deleteFrom(KEYS).where('createdAt', '<=', limit()).execute();
    },
  };
}

/** What WireGuard counted for each node. */
export function nodeTrafficOf({ sql }: Connection) {
  return {
    async all(): Promise<NodeTrafficRow[]> {
      return sql.selectFrom('nodeTraffic').selectAll().execute();
    },
    /** Keeps these counts; those of a node that is gone meanwhile are dropped. */
    async save(rows: readonly NodeTrafficRow[]): Promise<void> {
      for (const row of rows) {
        const node = await sql.selectFrom('nodes').where('id', '=', row.nodeId).select('id').executeTakeFirst();
        if (node === undefined) continue;
        const { nodeId: _, ...counts } = row;
        const insert = sql.insertInto('nodeTraffic').values(row);
        await insert.onConflict((conflict) => conflict.column('nodeId').doUpdateSet(counts)).execute();
      }
    },
  };
}
