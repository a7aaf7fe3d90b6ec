import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ListenAddress, probeAddresses } from './listenAddresses.ts';
import { type Generations, MAIN_FILE } from './generations.ts';
import type { IngressLayout } from './ingress.ts';
import { freeBytes } from '../../machine/freeBytes.ts';
import { markLog } from './logFiles.ts';
import { DISK_IS_FULL, type Fault, parseNginxFaults } from './faults.ts';
import {
  findMaster,
  findNewMaster,
  findOrphans,
  findOtherMasters,
  findReader,
  isAlive,
  listChildren,
  type ProcessId,
  signal,
} from './process.ts';
import { type NginxProgram, startDaemon, testConfiguration } from './program.ts';
import { dismiss, type Former, type WaitOutcome, waitUntilServed } from './servedWait.ts';

export type Addresses = ReadonlyMap<string, ListenAddress>;

/** A generation that is written and is to be served. */
export type Candidate = {
  generation: number;
  addresses: Addresses;
  /** How many workers it asks for. */
  workers: number;
  /** Where it answers its number. */
  statusSocket: string;
};

/** What became of it. On faults `current` leads where it led before. */
export type Outcome = { ok: true; master: ProcessId } | { ok: false; faults: Fault[] };

/** Starts, reloads and ends the nginx of a layout. One call at a time. */
export type NginxControl = {
  /** What speaks against the configuration in a directory. */
  test(directory: string): Promise<Fault[]>;
  start(candidate: Candidate): Promise<Outcome>;
  /**
   * Has a running master start one that serves the candidate, to which it leaves its addresses and new connections
   * ([54](../../../../../docs/decisions/0054-each-generation-is-a-new-nginx.md)).
   * @param served the generation that it serves now, and its addresses if they are known
   */
  reload(
    master: ProcessId,
    candidate: Candidate,
    served: { generation: number; addresses: Addresses | null },
  ): Promise<Outcome>;
  /** Ends what a gateway left that was killed during a reload, so that one master is left. */
  settle(): Promise<void>;
  stop(): Promise<void>;
};

const STOP_LIMIT_MS = 5000;
const ORPHAN_LIMIT_MS = 1000;
const READER_LIMIT_MS = 60_000;
const FREE_LIMIT_MS = 500;
const GONE_POLL_MS = 5;

export function createNginxControl(
  program: Pick<NginxProgram, 'binary'>,
  layout: IngressLayout,
  generations: Generations,
): NginxControl {
  const test = async (directory: string): Promise<Fault[]> => {
    const words = await testConfiguration(program.binary, layout.directory, join(directory, MAIN_FILE));
    return words === null ? [] : readWords(words, [directory]);
  };

  const testGeneration = (generation: number): Promise<Fault[]> => test(join(layout.generations, String(generation)));

  const start = async (candidate: Candidate): Promise<Outcome> => {
    const { generation, addresses } = candidate;
    // Before the workers of a killed master are ended: they serve on if this is no good.
    const faults = await testGeneration(generation);
    if (faults.length > 0) return { ok: false, faults };
    const freeBy = performance.now() + ((await endOrphans()) ? FREE_LIMIT_MS : 0);
    let taken = await probeAddresses(addresses, new Map());
    // A worker says that it is shutting down a moment before it closes its ports.
    while (taken.length > 0 && performance.now() < freeBy) {
      await delay(GONE_POLL_MS);
      taken = await probeAddresses(addresses, new Map());
    }
    if (taken.length > 0) return { ok: false, faults: taken };
    await removeStaleSockets(addresses);
    const before = generations.current();
    const log = markLog(layout.errorLog);
    await generations.point(generation);
    const words = await startDaemon({
      binary: program.binary,
      prefix: layout.directory,
      mainFile: join(layout.current, MAIN_FILE),
      errorLog: layout.errorLog,
      outputFile: join(layout.logs, 'start.log'),
    });
    const outcome: WaitOutcome =
      words === null
        ? await waitUntilServed({ ...candidate, layout, former: null, log })
        : { kind: 'faults', faults: readWords(words, [layout.current]) };
    if (outcome.kind === 'served') return { ok: true, master: outcome.master };
    // A start that failed must not leave half an nginx behind.
    await stop();
    await generations.point(before);
    return { ok: false, faults: outcome.kind === 'faults' ? outcome.faults : [silence(generation, layout)] };
  };

  const reload: NginxControl['reload'] = async (master, candidate, served) => {
    const { generation, addresses } = candidate;
    const taken = served.addresses === null ? [] : await probeAddresses(addresses, served.addresses);
    if (taken.length > 0) return { ok: false, faults: taken };
    const former: Former = { master, children: new Set(listChildren(master)) };
    const log = markLog(layout.errorLog);
    await generations.point(generation);
    if (!signal(master, 'SIGUSR2')) return start(candidate);
    const outcome = await waitUntilServed({
      ...candidate,
      layout,
      former,
      log,
      ask: () => testGeneration(generation),
    });
    if (outcome.kind === 'served') {
      await endMaster(master);
      return { ok: true, master: outcome.master };
    }
    if (outcome.kind === 'died') return start(candidate);
    // A crash from now on must start what was good.
    await generations.point(served.generation);
    if (outcome.kind === 'silent' && outcome.isDismissed) await endMaster(master);
    else await endSuccessor(former);
    return { ok: false, faults: outcome.kind === 'faults' ? outcome.faults : [silence(generation, layout)] };
  };

  /** Until the master has its pid file back, it is none that could be told anything. */
  const endSuccessor = async ({ master, children }: Former): Promise<void> => {
    for (const name of ['SIGTERM', 'SIGKILL'] as const) {
      const deadline = performance.now() + STOP_LIMIT_MS;
      for (let left = findNewMaster(master, children); left !== null; left = findNewMaster(master, children)) {
        signal(left, name);
        if (performance.now() > deadline) break;
        await delay(GONE_POLL_MS);
      }
    }
    const deadline = performance.now() + FREE_LIMIT_MS;
    while (isAlive(master) && !existsSync(layout.pidFile) && performance.now() < deadline) await delay(GONE_POLL_MS);
  };

  const settle = async (): Promise<void> => {
    const deadline = performance.now() + READER_LIMIT_MS;
    while (findReader(layout) !== null && performance.now() < deadline) await delay(GONE_POLL_MS);
    for (const other of findOtherMasters(layout)) {
      dismiss(layout, other);
      await delay(FREE_LIMIT_MS);
      await endMaster(other);
    }
  };

  /** While a master waits for its workers, its successor starts none of its own. They finish without it. */
  const endMaster = async (master: ProcessId): Promise<void> => {
    signal(master, 'SIGKILL');
    const deadline = performance.now() + STOP_LIMIT_MS;
    while (isAlive(master) && performance.now() < deadline) await delay(GONE_POLL_MS);
    // Under this name it kept its pid file.
    await rm(`${layout.pidFile}.oldbin`, { force: true });
  };

  /** Whether there were any. */
  const endOrphans = async (): Promise<boolean> => {
    const orphans = findOrphans(layout);
    for (const orphan of orphans) signal(orphan, 'SIGQUIT');
    const open = () => findOrphans(layout).filter((orphan) => !orphan.closing);
    const deadline = performance.now() + ORPHAN_LIMIT_MS;
    while (open().length > 0 && performance.now() < deadline) await delay(GONE_POLL_MS);
    for (const orphan of open()) signal(orphan, 'SIGKILL');
    return orphans.length > 0;
  };

  /** A master that was killed leaves its sockets behind, and a new one fails on them. */
  const removeStaleSockets = async (addresses: Addresses): Promise<void> => {
    for (const address of addresses.values()) {
      if (address.kind === 'socket' && address.path.startsWith(`${layout.run}/`)) {
        if (address.path !== layout.gatewaySocket) await rm(address.path, { force: true });
      }
    }
  };

  const stop = async (): Promise<void> => {
    const masters = [findMaster(layout), ...findOtherMasters(layout)].filter((master) => master !== null);
    for (const master of masters) signal(master, 'SIGTERM');
    const deadline = performance.now() + STOP_LIMIT_MS;
    while (masters.some(isAlive) && performance.now() < deadline) await delay(GONE_POLL_MS);
    for (const master of masters) signal(master, 'SIGKILL');
    for (const orphan of findOrphans(layout)) signal(orphan, 'SIGKILL');
  };

  return { test, start, reload, settle, stop };
}

function readWords(words: string, roots: readonly string[]): Fault[] {
  const faults = parseNginxFaults(words, roots);
  return faults.length > 0 ? faults : [{ message: words.trim() }];
}

/** Less than this, and nginx writes neither where it runs nor why it does not. */
const LEAST_BYTES = 16 * 1024;

function silence(generation: number, { logs }: IngressLayout): Fault {
  if (freeBytes(logs) < LEAST_BYTES) return { message: DISK_IS_FULL, environment: true, disk: true };
  const message = `nginx did not serve generation ${generation} in time. Its error log may say why`;
  return { message, environment: true };
}
