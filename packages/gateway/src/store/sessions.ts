import type { SessionEnd, SessionRow, VisitorSessionRow } from './rows.ts';
import type { Connection } from './tableQueries.ts';

/** The reading half of the sessions. */
export function readSessions(connection: Connection) {
  return {
    /** The session that a token stands for, also when it has ended. */
    async find(tokenHash: string): Promise<SessionRow | null> {
      const query = connection.sql.selectFrom('sessions').where('tokenHash', '=', tokenHash);
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
        .insertInto('sessions')
        .values({ ...session, createdAt })
        .execute();
    },
    /** Its row stays until its time is over, so that the browser can be told why it ended. */
    async end(tokenHash: string, reason: SessionEnd): Promise<void> {
      ended(tokenHash);
      await sql.updateTable('sessions').set({ ended: reason }).where('tokenHash', '=', tokenHash).execute();
    },
    async removeExpired(): Promise<void> {
      const now = connection.now().toISOString();
      await sql.deleteFrom('sessions').where('expiresAt', '<=', now).execute();
    },
    /** Signs everybody out, as a new password does. */
    async endAll(reason: SessionEnd): Promise<void> {
      const rows = await sql
        .updateTable('sessions')
        .set({ ended: reason })
        .where('ended', 'is', null)
        .returning('tokenHash')
        .execute();
      for (const row of rows) ended(row.tokenHash);
    },
  };
}

/** The reading half of the sessions of visitors. */
export function readVisitorSessions(connection: Connection) {
  return {
    /** The session that a token stands for, also when it has run out. */
    async find(tokenHash: string): Promise<VisitorSessionRow | null> {
      const query = connection.sql.selectFrom('visitorSessions').where('tokenHash', '=', tokenHash);
      return (await query.selectAll().executeTakeFirst()) ?? null;
    },
  };
}

/** Their writing half. */
export function writeVisitorSessions(connection: Connection) {
  const { sql } = connection;
  return {
    ...readVisitorSessions(connection),
    async create(session: Omit<VisitorSessionRow, 'createdAt'>): Promise<void> {
      const createdAt = connection.now().toISOString();
      await sql
        .insertInto('visitorSessions')
        .values({ ...session, createdAt })
        .execute();
    },
    async remove(tokenHash: string): Promise<void> {
      await sql.deleteFrom('visitorSessions').where('tokenHash', '=', tokenHash).execute();
    },
    /** Signs the visitors of a domain out, except those with one of these e-mails, in lower case. */
    async removeOfDomain(domainId: number, kept: readonly string[] = []): Promise<void> {
      const all = sql.deleteFrom('visitorSessions').where('domainId', '=', domainId);
      await (kept.length === 0 ? all : all.where('email', 'not in', [...kept])).execute();
    },
    async removeExpired(): Promise<void> {
      const now = connection.now().toISOString();
      await sql.deleteFrom('visitorSessions').where('expiresAt', '<=', now).execute();
    },
  };
}
