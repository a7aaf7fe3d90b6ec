import { setTimeout as delay } from 'node:timers/promises';
import type { IngressLayout } from './ingress.ts';
import type { LogMark } from './logFiles.ts';
import { type Fault, isStillTrying, parseNginxFaults } from './faults.ts';
import {
  findMaster,
  isAlive,
  isBusy,
  isClosing,
  listChildren,
  listWorkers,
  type NginxWorker,
  type ProcessId,
  signal,
} from './process.ts';
import { get } from 'node:http';

/** How an attempt ended. `died` means that the master went away meanwhile, `silent` that nothing happened in time. */
export type WaitOutcome =
  | { kind: 'served'; master: ProcessId }
  | { kind: 'faults'; faults: Fault[] }
  | { kind: 'died' }
  | { kind: 'silent' };

// The longer it takes, the less often it is looked: what looks takes time from nginx, which reads its configuration.
const POLL_MIN_MS = 2;
const POLL_MAX_MS = 20;
const POLL_SHARE = 0.02;
const ANSWER_LIMIT_MS = 250;
/** How long it is waited for an nginx that does nothing, and for one that does not come to an end. */
const SERVED_LIMIT_MS = 10_000;
const BUSY_LIMIT_MS = 60_000;
/** Of doing nothing: to read thousands of services takes seconds, and asking meanwhile has them read twice. */
const ASK_AFTER_MS = 1500;
/** By then nginx has all its workers, or their number is not what it was thought to be. */
const COMPLETE_LIMIT_MS = 250;

/**
 * Waits until nginx really serves a generation. A reload succeeds even when an address cannot be had, so only this
 * counts: the private endpoint answers the generation's number, and every worker from before is gone or closing. nginx
 * lets old workers take new connections for another tenth of a second; when all new ones are there, which say so by
 * their titles, the old ones are told to close at once. Those of the generation before count as old from the beginning,
 * also when they are not ready yet: on a busy machine one comes late, and would pass for a newer one.
 * What nginx writes to its error log ends the wait.
 * @param options.master null for a daemon that was just started and is yet to be found
 * @param options.ask asks nginx what is wrong, when it neither serves nor says anything: a log on a full disk is silent
 */
export async function waitUntilServed(options: {
  layout: IngressLayout;
  master: ProcessId | null;
  generation: number;
  statusSocket: string;
  /** All workers that it has had until now; one of them may not even be ready yet. */
  before: readonly NginxWorker[];
  /** How many workers the generation is to have. */
  workers: number;
  log: LogMark;
  ask?: () => Promise<Fault[]>;
}): Promise<WaitOutcome> {
  const { layout, generation, before, log } = options;
  const roots = [`${layout.generations}/${generation}`, layout.current];
  const known = new Set(before.map(({ pid }) => pid));
  // The others are told already, and may go on for half an hour: no one looks at each of them again and again.
  const open = before.filter(({ closing }) => !closing);
  const from = performance.now();
  let busyAt = from;
  let ask = options.ask;
  let seenAt: number | null = null;
  const dismiss = (): void => {
    for (const worker of open) if (!isClosing(worker)) signal(worker, 'SIGQUIT');
  };
  while (performance.now() < Math.min(busyAt + SERVED_LIMIT_MS, from + BUSY_LIMIT_MS)) {
    const master = options.master ?? findMaster(layout);
    if (master !== null) {
      if (isBusy(master)) busyAt = performance.now();
      // A look at the list of numbers alone is cheap.
      const come = listChildren(master).some((pid) => !known.has(pid)) ? countNew(master, known) : 0;
      if (come > 0) seenAt ??= performance.now();
      const isLate = seenAt !== null && performance.now() > seenAt + COMPLETE_LIMIT_MS;
      const isComplete = come >= options.workers;
      if (isComplete || isLate) {
        // Before it is asked, too: else one of them would answer for a while.
        if (isComplete) dismiss();
        const answer = await askGeneration(options.statusSocket, ANSWER_LIMIT_MS);
        if (answer?.generation === generation) {
          dismiss();
          if (open.every((worker) => isClosing(worker))) return { kind: 'served', master };
        }
      }
      if (!isAlive(master)) return { kind: 'died' };
    }
    const text = log.newText();
    const faults = parseNginxFaults(text, roots);
    if (faults.length > 0 && !isStillTrying(text, faults)) return { kind: 'faults', faults };
    if (ask !== undefined && faults.length === 0 && performance.now() > busyAt + ASK_AFTER_MS) {
      const found = await ask();
      if (found.length > 0) return { kind: 'faults', faults: found };
      ask = undefined;
    }
    await delay(Math.min(POLL_MIN_MS + (performance.now() - from) * POLL_SHARE, POLL_MAX_MS));
  }
  return { kind: 'silent' };
}

function countNew(master: ProcessId, known: ReadonlySet<number>): number {
  return listWorkers(master).filter(({ pid, ready, closing }) => ready && !closing && !known.has(pid)).length;
}

/** The answer of nginx's private endpoint. */
export type ServedGeneration = { generation: number; pid: number };

const LONGEST_ANSWER = 64;

/** Asks nginx which generation it serves; null when it does not say so in time. */
export function askGeneration(socketPath: string, timeoutMs: number): Promise<ServedGeneration | null> {
  return new Promise((resolve) => {
    const request = get({
      socketPath,
      path: '/generation',
      headers: { host: 'localhost', connection: 'close' },
      agent: false,
    });
    // Not a signal that aborts: it goes off, at some cost, also when the answer has long been there, and this is asked
    // often.
    const timer = setTimeout(() => request.destroy(new Error('There was no answer in time.')), timeoutMs);
    request.on('close', () => clearTimeout(timer));
    request.on('error', () => resolve(null));
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('latin1');
      response.on('error', () => resolve(null));
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > LONGEST_ANSWER) response.destroy(new Error('This is not the private endpoint.'));
      });
      response.on('end', () => {
        const parts = /^(\d+) (\d+)\s*$/.exec(text);
        resolve(parts === null ? null : { generation: Number(parts[1]), pid: Number(parts[2]) });
      });
    });
  });
}
