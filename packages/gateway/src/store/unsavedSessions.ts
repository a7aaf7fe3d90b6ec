import type { SessionEnd, SessionRow } from './rows.ts';
import type { Transaction } from './transaction.ts';

type NewSession = Pick<SessionRow, 'tokenHash' | 'expiresAt' | 'keyThumbprint'>;

/**
 * Sessions that a full disk did not take. To make room, an administrator has to sign in first, so they count as if they were
 * saved, as long as this process lives; with the next write that succeeds they are.
 */
export type UnsavedSessions = {
  find(tokenHash: string): SessionRow | null;
  create(session: NewSession): void;
  /** @param session as it is saved, or as it was created here */
  end(session: SessionRow, reason: SessionEnd): void;
  /** Forgets one that goes on: it has ended, and what was never saved needs no end in the database. */
  forget(tokenHash: string): void;
  /** Saves what is here, within a write of its own. */
  save(write: (work: (tx: Transaction) => Promise<void>) => Promise<unknown>): Promise<void>;
};

/** More than anybody signs in while a disk is full. */
const MOST = 1000;

export function createUnsavedSessions(now: () => Date): UnsavedSessions {
  const rows = new Map<string, SessionRow>();
  let saving = false;
  const keep = (row: SessionRow): void => {
    for (const [hash, { expiresAt }] of rows) if (Date.parse(expiresAt) <= now().getTime()) rows.delete(hash);
    const [oldest] = rows.keys();
    if (rows.size >= MOST && oldest !== undefined) rows.delete(oldest);
    rows.set(row.tokenHash, row);
  };
  return {
    find: (tokenHash) => rows.get(tokenHash) ?? null,
    create: (session) => keep({ ...session, id: 0, createdAt: now().toISOString(), ended: null }),
    end: (session, ended) => keep({ ...session, ended }),
    forget(tokenHash) {
      if (rows.get(tokenHash)?.ended === null) rows.delete(tokenHash);
    },
    async save(write) {
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
