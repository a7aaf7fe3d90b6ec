import { setTimeout as delay } from 'node:timers/promises';
import type { IngressLayout } from './ingress.ts';
import type { LogMark } from './logFiles.ts';
import { type Fault, isStillTrying, parseNginxFaults } from './faults.ts';
import {
  findMaster,
  findNewMaster,
  findOrphans,
  findSuccessor,
  isAlive,
  isBusy,
  listChildren,
  listWorkers,
  type ProcessId,
  signal,
} from './process.ts';
import { get } from 'node:http';

/**
 * How an attempt ended. `died` means that the master went away meanwhile, `silent` that nothing happened in time;
 * `isDismissed` says whether the master from before was already told to end.
 */
export type WaitOutcome =
  | { kind: 'served'; master: ProcessId }
  | { kind: 'faults'; faults: Fault[] }
  | { kind: 'died' }
  | { kind: 'silent'; isDismissed: boolean };

/** The master that serves until now and was told to start its successor, and all processes that it had until then. */
export type Former = { master: ProcessId; children: ReadonlySet<number> };

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
 * Waits until nginx really serves a generation. A start succeeds even when an address cannot be had, so only this counts:
 * the private endpoint answers the generation's number, and every worker from before is gone or closing. Until the
 * successor has all its workers, which say so by their titles, the master from before serves; then it is told to end.
 * What nginx writes to its error log ends the wait.
 * @param options.former null: a daemon was just started and is yet to be found
 * @param options.ask asks nginx what is wrong, when it neither serves nor says anything: a log on a full disk is silent
 */
export async function waitUntilServed(options: {
  layout: IngressLayout;
  former: Former | null;
  generation: number;
  statusSocket: string;
  /** How many workers the generation is to have. */
  workers: number;
  log: LogMark;
  ask?: () => Promise<Fault[]>;
}): Promise<WaitOutcome> {
  const { layout, generation, former, log } = options;
  const roots = [`${layout.generations}/${generation}`, layout.current];
  const from = performance.now();
  let busyAt = from;
  let ask = options.ask;
  let seenAt: number | null = null;
  let isDismissed = false;
  let reader: ProcessId | null = null;
  while (performance.now() < Math.min(busyAt + SERVED_LIMIT_MS, from + BUSY_LIMIT_MS)) {
    const master = former === null ? findMaster(layout) : findSuccessor(layout, former.master);
    if (former !== null) reader ??= findNewMaster(former.master, former.children);
    const isAtWork = [master, reader].some((one) => one !== null && isBusy(one));
    if (isAtWork) busyAt = performance.now();
    // Before the log is read: its last words are then in it.
    const hasEnded = reader !== null && master === null && !isAlive(reader);
    if (master !== null) {
      // A look at the list of numbers alone is cheap.
      const come = listChildren(master).length > 0 ? countReady(master) : 0;
      if (come > 0) seenAt ??= performance.now();
      const isLate = seenAt !== null && performance.now() > seenAt + COMPLETE_LIMIT_MS;
      if (come >= options.workers || isLate) {
        if (former !== null && !isDismissed) dismiss(layout, former.master);
        isDismissed = true;
        const answer = await askGeneration(options.statusSocket, ANSWER_LIMIT_MS);
        if (answer?.generation === generation && (former === null || isLeaving(layout, former.master, master))) {
          return { kind: 'served', master };
        }
      }
      if (!isAlive(master)) return { kind: 'died' };
    }
    const text = log.newText();
    const faults = parseNginxFaults(text, roots);
    if (faults.length > 0 && (hasEnded || !isStillTrying(text, faults))) return { kind: 'faults', faults };
    if (ask !== undefined && faults.length === 0 && (hasEnded || performance.now() > busyAt + ASK_AFTER_MS)) {
      const found = await ask();
      if (found.length > 0) return { kind: 'faults', faults: found };
      ask = undefined;
    }
    if (hasEnded) return former !== null && isAlive(former.master) ? { kind: 'silent', isDismissed } : { kind: 'died' };
    if (former !== null && reader === null && master === null && !isAlive(former.master)) return { kind: 'died' };
    await delay(Math.min(POLL_MIN_MS + (performance.now() - from) * POLL_SHARE, POLL_MAX_MS));
  }
  return { kind: 'silent', isDismissed };
}

const countReady = (master: ProcessId): number =>
  listWorkers(master).filter(({ ready, closing }) => ready && !closing).length;

/** Has a master and its workers finish what they are at, and take nothing new. */
export function dismiss(layout: IngressLayout, master: ProcessId): void {
  if (signal(master, 'SIGQUIT')) return;
  // It was killed, and no one else tells them.
  for (const orphan of findOrphans(layout)) signal(orphan, 'SIGQUIT');
}

/** Whether no worker of that master takes new connections any more. Its successor is its child, too. */
function isLeaving(layout: IngressLayout, master: ProcessId, successor: ProcessId): boolean {
  const workers = isAlive(master) ? listWorkers(master) : findOrphans(layout);
  return workers.every(({ pid, closing }) => closing || pid === successor.pid);
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
