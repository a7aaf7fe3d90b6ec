import { setTimeout as delay } from 'node:timers/promises';
import type { IngressLayout } from './ingress.ts';
import type { LogMark } from './logMark.ts';
import { type Fault, isStillTrying, parseNginxFaults } from './nginxFaults.ts';
import { findMaster, isAlive, listWorkers, type NginxWorker, type ProcessId } from './nginxProcess.ts';
import { askGeneration } from './statusSocket.ts';

/** How an attempt ended. `died` means that the master went away meanwhile, `silent` that nothing happened in time. */
export type WaitOutcome =
  | { kind: 'served'; master: ProcessId }
  | { kind: 'faults'; faults: Fault[] }
  | { kind: 'died' }
  | { kind: 'silent' };

const POLL_MS = 5;
const ANSWER_LIMIT_MS = 250;
const SERVED_LIMIT_MS = 10_000;

/**
 * Waits until nginx really serves a generation. `nginx -t` and a reload succeed even when an address cannot be had, so
 * only this counts: every worker from before is gone or closing (old ones take new connections for another tenth of a
 * second), and the private endpoint answers the generation's number. What nginx writes to its error log ends the wait.
 * @param master null for a daemon that was just started and is yet to be found
 */
export async function waitUntilServed(options: {
  layout: IngressLayout;
  master: ProcessId | null;
  generation: number;
  before: readonly NginxWorker[];
  log: LogMark;
}): Promise<WaitOutcome> {
  const { layout, generation, before, log } = options;
  const roots = [`${layout.generations}/${generation}`, layout.current];
  const deadline = performance.now() + SERVED_LIMIT_MS;
  while (performance.now() < deadline) {
    const master = options.master ?? findMaster(layout);
    if (master !== null) {
      if (areReplaced(master, before)) {
        const answer = await askGeneration(layout.statusSocket, ANSWER_LIMIT_MS);
        if (answer?.generation === generation) return { kind: 'served', master };
      }
      if (!isAlive(master)) return { kind: 'died' };
    }
    const text = log.newText();
    const faults = parseNginxFaults(text, roots);
    if (faults.length > 0 && !isStillTrying(text, faults)) return { kind: 'faults', faults };
    await delay(POLL_MS);
  }
  return { kind: 'silent' };
}

function areReplaced(master: ProcessId, before: readonly NginxWorker[]): boolean {
  if (before.length === 0) return true;
  const now = listWorkers(master);
  return before.every((old) =>
    now.every((worker) => worker.pid !== old.pid || worker.startTime !== old.startTime || worker.closing),
  );
}
