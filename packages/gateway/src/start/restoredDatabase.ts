import type { Ingress } from '../ingress/nginx/ingress.ts';
import { type History, readHistory } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** More than anyone makes while a copy is kept: how far a database has come of which nothing is known. */
const UNKNOWN_CHANGES = 1_000_000;

/**
 * Looks whether another database was served before this one: an older copy was put back, or what was made since is back.
 * nginx is ended then, for in what it has open it would take one node for another. What is made from now on gets other
 * numbers: lines of the log that are yet to be read have the former ones, and what the kernel keeps of connections. And
 * sessions end: one that was signed out since would be back.
 * @param known how far this database had come before the start changed anything
 */
export async function leaveOtherDatabase({
  ingress,
  store,
  known,
  log,
}: {
  ingress: Pick<Ingress, 'origin' | 'running' | 'stop'>;
  store: Pick<Store, 'write'>;
  known: History | null;
  log: Record<'warn' | 'error', (facts: object, message: string) => void>;
}): Promise<void> {
  const origin = await ingress.origin();
  // That of an earlier version, or of its database, which did not say it.
  if (origin === undefined) return;
  const served = readHistory(origin ?? '');
  const isRunning = await ingress.running();
  if (served === null && !isRunning) return;
  if (served !== null && served.database === known?.database && served.changes <= known.changes) return;
  log.warn(
    {},
    'another database was served before this one: what nginx has open and all sessions end, and new objects get higher numbers',
  );
  await ingress.stop();
  const left = store.write(async (tx) => {
    await tx.history.branch(served?.changes ?? UNKNOWN_CHANGES + (known?.changes ?? 0));
    await tx.sessions.endAll('copy-restored');
    await tx.visitorSessions.removeAll();
  });
  await left.catch((error: unknown) => {
    log.error({ err: error }, 'new objects may get numbers that others had in the other database');
  });
}
