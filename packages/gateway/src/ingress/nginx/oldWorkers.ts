import { freemem } from 'node:os';
import type { IngressLayout } from './ingress.ts';
import { findMaster, listClosing, listWorkers, memoryOf, nameOf, type ProcessId, signal } from './process.ts';

/** An old worker of nginx, that finishes what it has. `since` when is in milliseconds, as `now` tells them. */
export type OldWorker = ProcessId & { since: number; bytes: number };

/**
 * So long each is left alone, whatever it needs; and how many times as much as the gateway and its nginx all may need. With
 * those two themselves, and what they grow by, that is less than five times of what they need without old workers.
 */
const BOUNDS = { leastMs: 10 * 60_000, times: 3 };
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
  let used = sumOf(workers.map(({ bytes }) => bytes));
  for (const worker of workers.toSorted((one, other) => one.since - other.since)) {
    if (used <= roomBytes || worker.since > closingSince) break;
    ended.push(worker);
    used -= worker.bytes;
  }
  return ended;
}

/** Bounds the memory of old workers: each keeps a whole configuration as long as a connection of then is open. */
export type OldWorkersWatch = {
  /** Ends those that have to go. The last ones end by `worker_shutdown_timeout` at the latest. */
  look(): void;
  /** Whether there is room for one more generation next to those that are left. */
  hasRoom(): boolean;
  stop(): void;
};

export function watchOldWorkers(layout: IngressLayout, { leastMs, times } = BOUNDS): OldWorkersWatch {
  let known = new Map<string, number>();
  let isFull = false;
  const look = (): void => {
    isFull = false;
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
    const generation = sumOf([master, ...current].map(({ pid }) => memoryOf(pid)));
    const used = sumOf(workers.map(({ bytes }) => bytes));
    // Also no more than the machine has, once the next nginx has read its configuration.
    const roomBytes = Math.min(times * (generation + memoryOf('self')), used + freemem() - generation);
    const ended = surplus(workers, { roomBytes, closingSince: now - leastMs });
    for (const worker of ended) signal(worker, 'SIGTERM');
    const left = used - sumOf(ended.map(({ bytes }) => bytes));
    isFull = left > 0 && left + generation > roomBytes;
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    look,
    hasRoom() {
      // It was looked at after the last change. Meanwhile connections end, but none of an old worker begins.
      if (isFull) look();
      return !isFull;
    },
    stop: () => clearInterval(timer),
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
