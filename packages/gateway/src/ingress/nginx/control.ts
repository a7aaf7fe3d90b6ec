import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ListenAddress, probeAddresses } from './listenAddresses.ts';
import { type Generations, MAIN_FILE } from './generations.ts';
import type { IngressLayout } from './ingress.ts';
import { markLog } from './logFiles.ts';
import { type Fault, parseNginxFaults } from './faults.ts';
import { findMaster, findOrphans, isAlive, listWorkers, type ProcessId, signal } from './process.ts';
import { type NginxProgram, startDaemon, testConfiguration } from './program.ts';
import { type WaitOutcome, waitUntilServed } from './servedWait.ts';

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
   * Has a running master serve the candidate.
   * @param served the generation that it serves now, and its addresses if they are known
   */
  reload(
    master: ProcessId,
    candidate: Candidate,
    served: { generation: number; addresses: Addresses | null },
  ): Promise<Outcome>;
  stop(): Promise<void>;
};

const STOP_LIMIT_MS = 5000;
const ORPHAN_LIMIT_MS = 1000;
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
        ? await waitUntilServed({ ...candidate, layout, master: null, before: [], log })
        : { kind: 'faults', faults: readWords(words, [layout.current]) };
    if (outcome.kind === 'served') return { ok: true, master: outcome.master };
    // A start that failed must not leave half an nginx behind.
    await stop();
    await generations.point(before);
    return { ok: false, faults: outcome.kind === 'faults' ? outcome.faults : [silence(generation)] };
  };

  const reload: NginxControl['reload'] = async (master, candidate, served) => {
    const { generation, addresses } = candidate;
    const taken = served.addresses === null ? [] : await probeAddresses(addresses, served.addresses);
    if (taken.length > 0) return { ok: false, faults: taken };
    const before = listWorkers(master);
    const log = markLog(layout.errorLog);
    await generations.point(generation);
    if (!signal(master, 'SIGHUP')) return start(candidate);
    const outcome = await waitUntilServed({
      ...candidate,
      layout,
      master,
      before,
      log,
      ask: () => testGeneration(generation),
    });
    if (outcome.kind === 'served') return { ok: true, master };
    if (outcome.kind === 'died') return start(candidate);
    // A crash from now on must start what was good.
    await generations.point(served.generation);
    if (outcome.kind === 'faults') return { ok: false, faults: outcome.faults };
    // It may yet come round to what was refused here; this makes it come back from there.
    signal(master, 'SIGHUP');
    return { ok: false, faults: [silence(generation)] };
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
    const master = findMaster(layout);
    if (master !== null) {
      signal(master, 'SIGTERM');
      const deadline = performance.now() + STOP_LIMIT_MS;
      while (isAlive(master) && performance.now() < deadline) await delay(GONE_POLL_MS);
      signal(master, 'SIGKILL');
    }
    for (const orphan of findOrphans(layout)) signal(orphan, 'SIGKILL');
  };

  return { test, start, reload, stop };
}

function readWords(words: string, roots: readonly string[]): Fault[] {
  const faults = parseNginxFaults(words, roots);
  return faults.length > 0 ? faults : [{ message: words.trim() }];
}

function silence(generation: number): Fault {
  const message = `nginx did not serve generation ${generation} in time. Its error log may say why`;
  return { message, environment: true };
}
