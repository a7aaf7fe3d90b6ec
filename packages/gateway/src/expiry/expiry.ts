import { createClockRepair, onClockSet } from './wrongClock.ts';
import { closedByTime } from '../rules/closing.ts';
import type { Clock } from '../world.ts';
import type { Store } from '../store/store.ts';

/** How long after a failure it is tried again. */
const RETRY_MS = 5000;

/** One that cannot be read never comes: an alarm for it would ring without end. nginx serves no such service. */
function endOf(expiresAt: string | null): number {
  const at = expiresAt === null ? Number.NaN : Date.parse(expiresAt);
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at;
}

/**
 * Disables services at the end of their time to live, also those whose time ended while nothing ran.
 * @returns the way to stop
 */
export function startExpiry(parts: {
  store: Pick<Store, 'httpServices' | 'tcpServices' | 'joinKeys' | 'write' | 'onChange'>;
  /** Has the world follow the rows as they are, without those whose time is over. */
  serve(): Promise<unknown>;
  clock: Clock;
  failed(error: unknown): void;
}): {
  ready: Promise<void>;
  stop(): void;
} {
  const { store, clock } = parts;
  let cancel = (): void => undefined;
  let stopped = false;
  let wakeAt = Number.POSITIVE_INFINITY;
  const repairClock = createClockRepair({ store, clock });

  const wake = (at: number): void => {
    if (stopped || at >= wakeAt) return;
    cancel();
    wakeAt = at;
    cancel = clock.wake(new Date(at), () => void expire());
  };

  const expire = async (): Promise<void> => {
    wakeAt = Number.POSITIVE_INFINITY;
    try {
      if (!(await closeDue())) return;
    } catch (error) {
      parts.failed(error);
      wake(clock.now().getTime() + RETRY_MS);
    }
    // Also what cannot be written down is closed. No change is named: what a service would be refused for takes no
    // closing back.
    await parts.serve().catch(parts.failed);
  };

  /** Whether there were any. @throws the first reason why one could not be closed; the others are */
  const closeDue = async (): Promise<boolean> => {
    await repairClock();
    const now = clock.now().getTime();
    const due: { kind: 'httpServices' | 'tcpServices'; id: number }[] = [];
    for (const kind of ['httpServices', 'tcpServices'] as const) {
      for (const { id, expiresAt } of await store[kind].all({ enabled: true })) {
        const at = endOf(expiresAt);
        if (at <= now) due.push({ kind, id });
        else wake(at);
      }
    }
    // Writes of the same moment share a transaction, and one that fails is undone by itself.
    const closings = due.map(({ kind, id }) =>
      store.write(async (tx) => {
        const row = await tx[kind].get(id);
        // Meanwhile it may have been closed, deleted or given more time.
        if (!row?.enabled || endOf(row.expiresAt) > now) return;
        await tx[kind].update(id, { enabled: false, expiresAt: null, ...closedByTime(row.expiresAt) });
      }),
    );
    for (const closing of await Promise.allSettled(closings)) if (closing.status === 'rejected') throw closing.reason;
    return due.length > 0;
  };

  const cancelRepair = onClockSet(clock, () => void expire());
  const unsubscribe = store.onChange((changes) => {
    for (const { kind, after } of changes) {
      if ((kind === 'httpService' || kind === 'tcpService') && after?.enabled && after.expiresAt !== null) {
        wake(endOf(after.expiresAt));
      }
    }
  });
  return {
    ready: expire(),
    stop() {
      stopped = true;
      cancel();
      cancelRepair();
      unsubscribe();
    },
  };
}

/** How often it is looked whether idempotency keys are to be removed. */
const LOOK_MS = 3_600_000;

/** Removes idempotency keys that are older than they have to be kept. @returns the way to stop */
export function startKeyExpiry(parts: {
  store: Pick<Store, 'idempotencyKeys' | 'write'>;
  clock: Clock;
  failed(error: unknown): void;
}): () => void {
  const { store, clock, failed } = parts;
  let cancel = (): void => undefined;
  const remove = async (): Promise<void> => {
    if (await store.idempotencyKeys.hasExpired()) await store.write((tx) => tx.idempotencyKeys.removeExpired());
  };
  const look = (): void => {
    cancel = clock.wake(new Date(clock.now().getTime() + LOOK_MS), look);
    remove().catch(failed);
  };
  look();
  return () => cancel();
}
