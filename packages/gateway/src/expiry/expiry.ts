import { closedByTime } from '../rules/closing.ts';
import type { Clock, Write } from '../world.ts';
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
  store: Store;
  write: Write;
  /** Has the world follow the rows as they are, without those whose time is over. */
  serve(): Promise<unknown>;
  clock: Clock;
  failed(error: unknown): void;
}): {
  ready: Promise<void>;
  stop(): void;
} {
  const { store, write, clock } = parts;
  let cancel = (): void => undefined;
  let stopped = false;
  let wakeAt = Number.POSITIVE_INFINITY;

  const wake = (at: number): void => {
    if (stopped || at >= wakeAt) return;
    cancel();
    wakeAt = at;
    cancel = clock.wake(new Date(at), () => void expire());
  };

  const expire = async (): Promise<void> => {
    wakeAt = Number.POSITIVE_INFINITY;
    try {
      const now = clock.now().getTime();
      await write(async (tx) => {
        for (const table of [tx.httpServices, tx.tcpServices]) {
          for (const { id, expiresAt } of await table.all({ enabled: true })) {
            const at = endOf(expiresAt);
            if (at <= now) await table.update(id, { enabled: false, expiresAt: null, ...closedByTime(expiresAt) });
            else wake(at);
          }
        }
      });
    } catch (error) {
      parts.failed(error);
      // What cannot be written down closes all the same.
      await parts.serve().catch(parts.failed);
      wake(clock.now().getTime() + RETRY_MS);
    }
  };

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
