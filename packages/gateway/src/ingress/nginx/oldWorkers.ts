import type { IngressLayout } from './ingress.ts';
import { findMaster, listClosing, listWorkers, memoryOf, nameOf, type ProcessId, signal } from './process.ts';

/** An old worker of nginx, that finishes what it has. `since` when is in milliseconds, as `now` tells them. */
export type OldWorker = ProcessId & { since: number; bytes: number };

/** So long each is left alone, whatever it needs; and how many times as much as the gateway and its nginx all may need. */
const BOUNDS = { leastMs: 10 * 60_000, times: 4 };
const LOOK_MS = 60_000;

/**
 * Which old workers have to end so that no more is used than there is room for: the oldest first, and none that is not old
 * enough.
 */
export function surplus(
  workers: readonly OldWorker[],
  { roomBytes, closingSince }: { roomBytes: number; closingSince: number },
): OldWorker[] {
  const ended: OldWorker[] = [];
  let used = workers.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const worker of workers.toSorted((one, other) => one.since - other.since)) {
    if (used <= roomBytes || worker.since > closingSince) break;
    ended.push(worker);
    used -= worker.bytes;
  }
  return ended;
}

/**
 * Bounds the memory of old workers: each keeps a whole configuration as long as a connection of then is open. The last ones
 * end by `worker_shutdown_timeout` at the latest.
 */
export function watchOldWorkers(layout: IngressLayout, { leastMs, times } = BOUNDS): { look(): void; stop(): void } {
  let known = new Map<string, number>();
  const look = (): void => {
    const master = findMaster(layout);
    if (master === null) return;
    const now = performance.now();
    const workers = listClosing(layout).map(({ pid, startTime }) => ({
      pid,
      startTime,
      since: known.get(nameOf({ pid, startTime })) ?? now,
      bytes: memoryOf(pid),
    }));
    known = new Map(workers.map((worker) => [nameOf(worker), worker.since]));
    if (workers.length === 0) return;
    const current = listWorkers(master).filter(({ closing }) => !closing);
    const inUse = [master, ...current].reduce((sum, { pid }) => sum + memoryOf(pid), memoryOf('self'));
    const bounds = { roomBytes: times * inUse, closingSince: now - leastMs };
    for (const worker of surplus(workers, bounds)) signal(worker, 'SIGTERM');
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return { look, stop: () => clearInterval(timer) };
}
