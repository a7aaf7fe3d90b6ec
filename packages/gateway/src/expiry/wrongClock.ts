import { EARLIEST_MS, isClockWrong } from '../rules/wrongClock.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../world.ts';

/**
 * What began while the clock was wrong keeps its time when the clock is set: it would be over at once otherwise, by years.
 * @param steady milliseconds that no setting of the clock changes
 * @returns the look whether the clock was set, which moves the ends of sessions, services and join keys along, once
 */
export function createClockRepair({
  store,
  clock,
  steady = () => performance.now(),
}: {
  store: Pick<Store, 'httpServices' | 'tcpServices' | 'joinKeys' | 'write'>;
  clock: Clock;
  steady?: () => number;
}): () => Promise<void> {
  const begun = { wall: clock.now().getTime(), steady: steady() };
  let isWrong = isClockWrong(clock.now());
  let running: Promise<void> | null = null;

  async function repair(): Promise<void> {
    /** What the wrong clock would show now. */
    const wrongNow = begun.wall + steady() - begun.steady;
    const aheadMs = clock.now().getTime() - wrongNow;
    const moved = (end: string | null): string | null => {
      const at = end === null ? Number.NaN : Date.parse(end);
      return at > wrongNow && isClockWrong(new Date(at)) ? new Date(at + aheadMs).toISOString() : null;
    };
    await store.write(async (tx) => {
      await tx.sessions.moveEnds(moved);
      for (const kind of ['httpServices', 'tcpServices'] as const) {
        for (const { id, expiresAt } of await tx[kind].all({ enabled: true })) {
          const end = moved(expiresAt);
          if (end !== null) await tx[kind].update(id, { expiresAt: end });
        }
      }
      for (const { id, expireAt } of await tx.joinKeys.all()) {
        const end = moved(expireAt);
        if (end !== null) await tx.joinKeys.update(id, { expireAt: end });
      }
    });
    isWrong = false;
  }

  return async () => {
    if (!isWrong || isClockWrong(clock.now())) return;
    running ??= repair().finally(() => (running = null));
    await running;
  };
}

/** Calls back when a clock that is wrong now was set. @returns the way to stop */
export const onClockSet = (clock: Clock, ring: () => void): (() => void) =>
  isClockWrong(clock.now()) ? clock.wake(new Date(EARLIEST_MS), ring) : () => undefined;
