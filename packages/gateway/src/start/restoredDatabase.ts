import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ingress } from '../ingress/nginx/ingress.ts';
import { type History, readHistory, writeHistory } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';

/** How far databases have come, told by something else than themselves. */
export type Witness = {
  /** All that it knows of; more than one where files of another time were put next to those that were there. */
  seen(): History[];
  /** To be called after each change. */
  note(history: History): void;
  /** Knows of this one alone from now on. */
  only(history: History): void;
};

/**
 * Keeps it as the name of a file. A copy of the directory that is laid over it brings another name, and takes none away. It
 * is not waited for until it is on the disk: after a power failure nothing is open that could be taken for another's.
 */
export function createWitness(directory: string): Witness {
  let noted: string | null = null;
  const seen = (): string[] => {
    try {
      return readdirSync(directory);
    } catch {
      return [];
    }
  };
  const forget = (name: string): void => rmSync(join(directory, name), { force: true });
  const note = (history: History): void => {
    const name = writeHistory(history);
    if (name === noted) return;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(join(directory, name), '', { mode: 0o600 });
      if (noted !== null) forget(noted);
      noted = name;
    } catch {
      // On a full disk nothing is made, either.
    }
  };
  return {
    seen: () => seen().flatMap((name) => readHistory(name) ?? []),
    note,
    only(history) {
      note(history);
      for (const name of seen()) if (name !== noted) forget(name);
    },
  };
}

/** More than anyone makes while a copy is kept: how far a database has come of which nothing is known. */
const UNKNOWN_CHANGES = 1_000_000;

/**
 * Looks whether another database was served before this one: an older copy was put back, or what was made since is back.
 * nginx is ended then, for in what it has open it would take one node for another. What is made from now on gets other
 * numbers: lines of the log that are yet to be read have the former ones, and what the kernel keeps of connections. And
 * sessions and join keys end: one that was signed out, or used, since would be back.
 * @param known how far this database had come before the start changed anything
 */
export async function leaveOtherDatabase({
  ingress,
  witness,
  store,
  known,
  log,
}: {
  ingress: Pick<Ingress, 'origin' | 'running' | 'stop'>;
  witness: Witness;
  store: Pick<Store, 'history' | 'write' | 'onChange'>;
  known: History | null;
  log: Record<'warn' | 'error', (facts: object, message: string) => void>;
}): Promise<void> {
  const others = await findOthers({ ingress, witness, known });
  let isLeft = true;
  if (others !== null) {
    log.warn(
      {},
      'another database was served before this one: what nginx has open and all sessions end, and new objects get higher numbers',
    );
    await ingress.stop();
    try {
      await store.write(async (tx) => {
        await tx.history.branch(others);
        await endWhatMayHaveEnded(tx);
      });
    } catch (error) {
      // Where the disk did not take it, the next start sees the other database again.
      isLeft = false;
      log.error({ err: error }, 'new objects may get numbers that others had in the other database');
    }
  }
  const note = async (how: 'note' | 'only'): Promise<void> => {
    const history = await store.history();
    if (history !== null) witness[how](history);
  };
  await note(isLeft ? 'only' : 'note');
  store.onChange(() => void note('note').catch(() => undefined));
}

/** How far other databases have come that were served; null: none was. */
async function findOthers({
  ingress,
  witness,
  known,
}: Pick<Parameters<typeof leaveOtherDatabase>[0], 'ingress' | 'witness' | 'known'>): Promise<number | null> {
  const origin = await ingress.origin();
  // Undefined is that of an earlier version, or of its database, which did not say it.
  const isUnknown = origin === null && (await ingress.running());
  const others = [readHistory(origin ?? ''), ...witness.seen()].filter(
    (one) => one !== null && (one.database !== known?.database || one.changes > known.changes),
  );
  if (others.length === 0 && !isUnknown) return null;
  const most = Math.max(0, ...others.map((one) => one?.changes ?? 0));
  return isUnknown ? most + (known?.changes ?? 0) + UNKNOWN_CHANGES : most;
}

/** Ends in a copy of the database what may have ended since it was made, and would count again: sessions, and join keys. */
export async function endWhatMayHaveEnded(tx: Transaction): Promise<void> {
  await tx.sessions.endAll('copy-restored');
  await tx.visitorSessions.removeAll();
  for (const { id } of await tx.joinKeys.all()) await tx.joinKeys.remove(id);
}
