import type { SessionEnd, SessionRow, VisitorSessionRow } from './rows.ts';
import type { Connection } from './tables.ts';

/** The sessions of the administrator. @param ended told the hash of every token that dies */
export function sessionsOf({ sql, now }: Connection, ended: (tokenHash: string) => void) {
  const ending = (reason: SessionEnd) => sql.updateTable('sessions').set({ ended: reason }).where('ended', 'is', null);
  return {
    /** The session that a token stands for, also when it has ended. */
    async find(tokenHash: string): Promise<SessionRow | null> {
      const query = sql.selectFrom('sessions').where('tokenHash', '=', tokenHash);
      return (await query.selectAll().executeTakeFirst()) ?? null;
    },
    async create(
      session: Pick<SessionRow, 'tokenHash' | 'expiresAt'> & Partial<Pick<SessionRow, 'keyThumbprint' | 'address'>>,
    ): Promise<void> {
      const at = now().toISOString();
      const values = { ...session, createdAt: at, lastUsedAt: at };
      await sql.insertInto('sessions').values(values).execute();
    },
    /** Its row stays until its time is over, so that the browser can be told why it ended. */
    async end(tokenHash: string, reason: SessionEnd): Promise<void> {
      ended(tokenHash);
      await sql.updateTable('sessions').set({ ended: reason }).where('tokenHash', '=', tokenHash).execute();
    },
    /** Those that last, the newest first. */
    async living(): Promise<SessionRow[]> {
      const query = sql.selectFrom('sessions').where('ended', 'is', null).where('expiresAt', '>', now().toISOString());
      return query.selectAll().orderBy('id', 'desc').execute();
    },
    async used(id: number, address: string): Promise<void> {
      const change = { lastUsedAt: now().toISOString(), address };
      await sql.updateTable('sessions').set(change).where('id', '=', id).execute();
    },
    async removeExpired(): Promise<void> {
      await sql.deleteFrom('sessions').where('expiresAt', '<=', now().toISOString()).execute();
    },
    /** @param moved another end of one that lasts; null: it stays */
    async moveEnds(moved: (expiresAt: string) => string | null): Promise<void> {
      for (const row of await sql.selectFrom('sessions').where('ended', 'is', null).selectAll().execute()) {
        const expiresAt = moved(row.expiresAt);
        if (expiresAt !== null) await sql.updateTable('sessions').set({ expiresAt }).where('id', '=', row.id).execute();
      }
    },
    /** Signs the administrator out everywhere, as a new password does. @param kept the token of the session that stays */
    async endAll(reason: SessionEnd, kept = ''): Promise<void> {
      const all = ending(reason).where('tokenHash', '!=', kept);
      for (const row of await all.returning('tokenHash').execute()) ended(row.tokenHash);
    },
    /** Signs the administrator out in every browser: what it keeps for an address serves anyone who is behind it later. */
    async endInBrowsers(reason: SessionEnd): Promise<void> {
      const withKey = ending(reason).where('keyThumbprint', 'is not', null);
      for (const row of await withKey.returning('tokenHash').execute()) ended(row.tokenHash);
    },
  };
}

/** The sessions of visitors who signed in to a domain. */
export function visitorSessionsOf({ sql, now }: Connection) {
  return {
    /** The session that a token stands for, also when it has run out. */
    async find(tokenHash: string): Promise<VisitorSessionRow | null> {
      const query = sql.selectFrom('visitorSessions').where('tokenHash', '=', tokenHash);
      return (await query.selectAll().executeTakeFirst()) ?? null;
    },
    async create(session: Omit<VisitorSessionRow, 'createdAt'>): Promise<void> {
      const values = { ...session, createdAt: now().toISOString() };
      await sql.insertInto('visitorSessions').values(values).execute();
    },
    async remove(tokenHash: string): Promise<void> {
      await sql.deleteFrom('visitorSessions').where('tokenHash', '=', tokenHash).execute();
    },
    /** Signs the visitors of a domain out, except those with one of these e-mails, in lower case. */
    async removeOfDomain(domainId: number, kept: readonly string[] = []): Promise<void> {
      const all = sql.deleteFrom('visitorSessions').where('domainId', '=', domainId);
      await (kept.length === 0 ? all : all.where('email', 'not in', [...kept])).execute();
    },
    /** Signs all visitors out. */
    async removeAll(): Promise<void> {
      await sql.deleteFrom('visitorSessions').execute();
    },
    async removeExpired(): Promise<void> {
      await sql.deleteFrom('visitorSessions').where('expiresAt', '<=', now().toISOString()).execute();
    },
  };
}

/** More than there are sign-ins while a disk is full. */
const MOST = 1000;

/**
 * Sessions that a full disk did not take. To make room, an administrator has to sign in first, so they count as if they were
 * saved, as long as this process lives; with the next write that succeeds they are.
 */
export function createUnsavedSessions(now: () => Date) {
  const rows = new Map<string, SessionRow>();
  let saving = false;
  const keep = (row: SessionRow): void => {
    for (const [hash, { expiresAt }] of rows) if (Date.parse(expiresAt) <= now().getTime()) rows.delete(hash);
    const [oldest] = rows.keys();
    if (rows.size >= MOST && oldest !== undefined) rows.delete(oldest);
    rows.set(row.tokenHash, row);
  };
  return {
    find: (tokenHash: string): SessionRow | null => rows.get(tokenHash) ?? null,
    create: (session: Pick<SessionRow, 'tokenHash' | 'expiresAt' | 'keyThumbprint'>): void =>
      keep({ ...session, id: 0, createdAt: now().toISOString(), ended: null, lastUsedAt: null, address: null }),
    /** @param session as it is saved, or as it was created here */
    end: (session: SessionRow, ended: SessionEnd): void => keep({ ...session, ended }),
    /** Forgets one that goes on: it has ended, and what was never saved needs no end in the database. */
    forget(tokenHash: string): void {
      if (rows.get(tokenHash)?.ended === null) rows.delete(tokenHash);
    },
    /** Saves what is here, within a write of its own. */
    async save(
      write: (work: (tx: { sessions: ReturnType<typeof sessionsOf> }) => Promise<void>) => Promise<unknown>,
    ): Promise<void> {
      if (saving || rows.size === 0) return;
      saving = true;
      const taken = [...rows.values()];
      try {
        await write(async ({ sessions }) => {
          for (const { tokenHash, expiresAt, keyThumbprint, ended } of taken) {
            if (!rows.has(tokenHash)) continue;
            if ((await sessions.find(tokenHash)) === null) {
              await sessions.create({ tokenHash, expiresAt, keyThumbprint });
            }
            if (ended !== null) await sessions.end(tokenHash, ended);
          }
        });
        for (const row of taken) if (rows.get(row.tokenHash) === row) rows.delete(row.tokenHash);
      } catch {
        // The disk is full again: they stay here.
      } finally {
        saving = false;
      }
    },
  };
}

export type UnsavedSessions = ReturnType<typeof createUnsavedSessions>;
