import { readHistory } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { Ingress } from './nginx/ingress.ts';

/**
 * Ends an nginx that serves what this database does not know: an older copy was put back. What was made since is unknown,
 * its numbers and networks are given away a second time, and nginx would take one for the other in what it has open.
 */
export async function endNewerNginx({
  ingress,
  store,
  log,
}: {
  ingress: Pick<Ingress, 'origin' | 'running' | 'stop'>;
  store: Pick<Store, 'history'>;
  log: { warn(facts: object, message: string): void };
}): Promise<void> {
  const origin = await ingress.origin();
  // That of an earlier version, or of its database, which did not say it.
  if (origin === undefined) return;
  const served = readHistory(origin ?? '');
  const known = await store.history();
  if (served !== null && served.database === known?.database && served.changes <= known.changes) return;
  if (await ingress.running()) log.warn({}, 'nginx serves a newer database than this one, and is ended first');
  await ingress.stop();
}
