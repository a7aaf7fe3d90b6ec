import type { Clock } from '../world.ts';
import type { Store } from '../store/store.ts';

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
