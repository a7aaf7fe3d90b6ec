import type { VisitorSessionRow } from './rows.ts';
import type { Connection } from './table.ts';

const TABLE = 'visitorSessions';

/** The reading half of the sessions of visitors. */
export function readVisitorSessions(connection: Connection) {
  return {
    /** The session that a token stands for, also when it has run out. */
    async find(tokenHash: string): Promise<VisitorSessionRow | null> {
      const query = connection.sql.selectFrom(TABLE).where('tokenHash', '=', tokenHash);
      return (await query.selectAll().executeTakeFirst()) ?? null;
    },
  };
}

/** The writing half. */
export function writeVisitorSessions(connection: Connection) {
  const { sql } = connection;
  return {
    ...readVisitorSessions(connection),
    async create(session: Omit<VisitorSessionRow, 'createdAt'>): Promise<void> {
      const createdAt = connection.now().toISOString();
      await sql
        .insertInto(TABLE)
        .values({ ...session, createdAt })
        .execute();
    },
    async remove(tokenHash: string): Promise<void> {
      await sql.deleteFrom(TABLE).where('tokenHash', '=', tokenHash).execute();
    },
    /** Signs the visitors of a domain out, except those with one of these e-mails, in lower case. */
    async removeOfDomain(domainId: number, kept: readonly string[] = []): Promise<void> {
      const all = sql.deleteFrom(TABLE).where('domainId', '=', domainId);
      await (kept.length === 0 ? all : all.where('email', 'not in', [...kept])).execute();
    },
    async removeExpired(): Promise<void> {
      const now = connection.now().toISOString();
      await sql.deleteFrom(TABLE).where('expiresAt', '<=', now).execute();
    },
  };
}
