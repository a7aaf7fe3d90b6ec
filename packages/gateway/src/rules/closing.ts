import { type Closer, closers, type HttpService } from '@sallyport/sdk/contract';

/** What of a service's row tells whether it is closed. */
type ClosedRow = Pick<HttpService, 'enabled' | 'expiresAt' | 'closedAt' | 'closedBy'>;

/** When a service was closed, and by what. */
export type Closing = Pick<HttpService, 'closedAt' | 'closedBy'>;

/** A service that is open. */
export const OPEN: Closing = { closedAt: null, closedBy: null };

/** The end of a time to live, which is that moment also when the gateway did not run then. */
export const closedByTime = (expiresAt: string | null): Closing => ({ closedAt: expiresAt, closedBy: 'time-limit' });

/** By a caller, now. */
export const closedByCaller = (caller: { type: 'admin' | 'node' | 'api' } | null, now: Date): Closing => ({
  closedAt: now.toISOString(),
  closedBy: caller?.type === 'node' ? 'node' : 'administrator',
});

/** What is answered. A time to live that is over counts also while its end cannot be written down. */
export function closingOf({ enabled, expiresAt, closedAt, closedBy }: ClosedRow, now: Date): Closing {
  if (enabled) return expiresAt !== null && Date.parse(expiresAt) <= now.getTime() ? closedByTime(expiresAt) : OPEN;
  // Whatever is in the database, the answer is what the contract says.
  const isKnown = (closers as readonly (Closer | null)[]).includes(closedBy);
  return isKnown && !Number.isNaN(Date.parse(closedAt ?? '')) ? { closedAt, closedBy } : OPEN;
}

/** No one closed it on purpose, so it is worth a word; in UTC, since the reader's zone is not known. */
export function closingProblem({ closedAt, closedBy }: Closing): string | null {
  if (closedBy !== 'time-limit' || closedAt === null) return null;
  const [day, time = ''] = new Date(closedAt).toISOString().split('T');
  return `Closed on ${day} at ${time.slice(0, 5)} UTC by its time limit. Enable it to open it again.`;
}
