import type { SessionEnd, SessionRow } from './rows.ts';
import type { Connection } from './table.ts';

const TABLE = 'sessions';

/** The reading half of the sessions. */
export function readSessions(connection: Connection) {
  return {
    /** The session that a token stands for, also when it has ended. */
    async find(tokenHash: string): Promise<SessionRow | null> {
      const query = connection.sql.selectFrom(TABLE).where('tokenHash', '=', tokenHash);
      return (await query.selectAll().executeTakeFirst()) ?? null;
    },
  };
}

/** The writing half; `ended` is told the hash of every token that dies. */
export function writeSessions(connection: Connection, ended: (tokenHash: string) => void) {
  const { sql } = connection;
  return {
    ...readSessions(connection),
    async create(
      session: Pick<SessionRow, 'tokenHash' | 'expiresAt'> & Partial<Pick<SessionRow, 'keyThumbprint'>>,
    ): Promise<void> {
      const createdAt = connection.now().toISOString();
      await sql
        .insertInto(TABLE)
        .values({ ...session, createdAt })
        .execute();
    },
    /** Its row stays until its time is over, so that the browser can be told why it ended. */
    async end(tokenHash: string, reason: SessionEnd): Promise<void> {
      ended(tokenHash);
      await sql.updateTable(TABLE).set({ ended: reason }).where('tokenHash', '=', tokenHash).execute();
    },
    async removeExpired(): Promise<void> {
      const now = connection.now().toISOString();
      await sql.deleteFrom(TABLE).where('expiresAt', '<=', now).execute();
    },
    /** Signs everybody out, as a new password does. */
    async endAll(reason: SessionEnd): Promise<void> {
      const rows = await sql
        .updateTable(TABLE)
        .set({ ended: reason })
        .where('ended', 'is', null)
        .returning('tokenHash')
        .execute();
      for (const row of rows) ended(row.tokenHash);
    },
  };
}
