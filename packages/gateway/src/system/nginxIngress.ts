import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { probeAddresses } from './addressProbe.ts';
import type { DataDirectory } from './dataDirectory.ts';
import { MAIN_FILE, openGenerations } from './generations.ts';
import { openIngressFiles } from './ingressFiles.ts';
import { type Applied, type ConfigFile, type Ingress, ingressLayout } from './ingress.ts';
import { type ListenAddress, listenAddresses } from './listenAddresses.ts';
import { markLog } from './logMark.ts';
import { reopenLogs } from './logReopening.ts';
import { type Fault, parseNginxFaults } from './nginxFaults.ts';
import { findMaster, findOrphans, isAlive, listWorkers, type ProcessId, signal } from './nginxProcess.ts';
import { findNginx, startDaemon, testConfiguration } from './nginxProgram.ts';
import { waitUntilServed } from './servedWait.ts';
import { askGeneration } from './statusSocket.ts';

type Addresses = ReadonlyMap<string, ListenAddress>;
/** What nginx serves now. `addresses` is null when the files that say so are gone. */
type Served = { generation: number; addresses: Addresses | null };

const WATCH_MS = 500;
// A damage harms nobody before the next configuration or a crash. It is believed at the second sight: a log that is
// being rotated is gone for a moment, too.
const LOOKS_A_CHECK = 4;
const STATUS_LIMIT_MS = 1000;
const STOP_LIMIT_MS = 5000;
const ORPHAN_LIMIT_MS = 1000;
const GONE_POLL_MS = 5;
const CHECKED = 'checked';

/**
 * nginx under its own prefix. One that is still running from an earlier gateway is adopted.
 * @throws {StartError} when nginx is not installed
 */
export async function createNginxIngress(options: {
  data: Pick<DataDirectory, 'ingress' | 'secrets' | 'workerUser'>;
  /** Which nginx; by default the one on the path. */
  binary?: string;
}): Promise<Ingress> {
  const program = await findNginx(options.binary);
  const layout = ingressLayout(options.data, program);
  const generations = openGenerations(layout);
  const files = openIngressFiles(layout, generations);
  const mourners = new Set<() => void>();
  const surveyors = new Set<() => void>();
  let looks = 0;
  let damaged = false;
  let served: Served | null = null;
  let previous: number | null = null;
  let highest = 0;
  let watched: ProcessId | null = null;
  let busy = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    busy += 1;
    const result = turn.then(action).finally(() => {
      busy -= 1;
    });
    turn = result.catch(() => undefined);
    return result;
  };

  const test = async (directory: string): Promise<Fault[]> => {
    const words = await testConfiguration(program.binary, layout.directory, join(directory, MAIN_FILE));
    return words === null ? [] : readWords(words, [directory]);
  };

  const refuse = async (generation: number, faults: Fault[]): Promise<Applied> => {
    await generations.remove(generation).catch(() => undefined);
    return { ok: false, faults };
  };

  const accept = (generation: number, addresses: Addresses, master: ProcessId): Applied => {
    previous = served?.generation ?? null;
    served = { generation, addresses };
    watched = master;
    files.remember(generation);
    damaged = false;
    looks = 0;
    return { ok: true, generation };
  };

  const adopt = async (): Promise<Served> => {
    const answer = await askGeneration(layout.statusSocket, STATUS_LIMIT_MS);
    const generation = answer?.generation ?? generations.current() ?? 0;
    const texts = answer === null ? null : generations.texts(generation);
    return { generation, addresses: texts === null ? null : listenAddresses(texts) };
  };

  const start = async (generation: number, addresses: Addresses): Promise<Applied> => {
    await endOrphans();
    const taken = await probeAddresses(addresses, new Map());
    if (taken.length > 0) return refuse(generation, taken);
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
    const outcome =
      words === null
        ? await waitUntilServed({ layout, master: null, generation, before: [], log })
        : { kind: 'faults' as const, faults: readWords(words, [layout.current]) };
    if (outcome.kind === 'served') return accept(generation, addresses, outcome.master);
    // A start that failed must not leave half an nginx behind.
    await stopNow();
    await generations.point(before);
    return refuse(generation, outcome.kind === 'faults' ? outcome.faults : [silence(generation)]);
  };

  const reload = async (master: ProcessId, generation: number, addresses: Addresses): Promise<Applied> => {
    const now = served ?? (await adopt());
    served = now;
    const taken = now.addresses === null ? [] : await probeAddresses(addresses, now.addresses);
    if (taken.length > 0) return refuse(generation, taken);
    const before = listWorkers(master).filter((worker) => !worker.closing);
    const log = markLog(layout.errorLog);
    await generations.point(generation);
    if (!signal(master, 'SIGHUP')) return start(generation, addresses);
    const outcome = await waitUntilServed({ layout, master, generation, before, log });
    if (outcome.kind === 'served') return accept(generation, addresses, master);
    if (outcome.kind === 'died') return start(generation, addresses);
    await generations.point(now.generation);
    if (outcome.kind === 'faults') return refuse(generation, outcome.faults);
    // It may yet come round to what was refused here; this makes it come back from there.
    signal(master, 'SIGHUP');
    return refuse(generation, [silence(generation)]);
  };

  const applyNow = async (configuration: ConfigFile[]): Promise<Applied> => {
    const master = findMaster(layout);
    served = master === null ? null : (served ?? (await adopt()));
    highest = Math.max(highest, generations.highest(), served?.generation ?? 0) + 1;
    const generation = highest;
    const before = generations.current();
    try {
      files.repair();
      const faults = await test(await generations.write(generation, configuration));
      if (faults.length > 0) return await refuse(generation, faults);
      const addresses = listenAddresses(configuration.map(({ text }) => text));
      return await (master === null ? start(generation, addresses) : reload(master, generation, addresses));
    } catch (error) {
      const fault = systemFault(error);
      await generations.point(before).catch(() => undefined);
      return refuse(generation, [fault]);
    }
  };

  const checkNow = async (configuration: ConfigFile[]): Promise<Fault[]> => {
    try {
      return await test(await generations.write(CHECKED, configuration));
    } catch (error) {
      return [systemFault(error)];
    } finally {
      await generations.remove(CHECKED).catch(() => undefined);
    }
  };

  const endOrphans = async (): Promise<void> => {
    for (const orphan of findOrphans(layout)) signal(orphan, 'SIGQUIT');
    const open = () => findOrphans(layout).filter((orphan) => !orphan.closing);
    const deadline = performance.now() + ORPHAN_LIMIT_MS;
    while (open().length > 0 && performance.now() < deadline) await delay(GONE_POLL_MS);
    for (const orphan of open()) signal(orphan, 'SIGKILL');
  };

  /** A master that was killed leaves its sockets behind, and a new one fails on them. */
  const removeStaleSockets = async (addresses: Addresses): Promise<void> => {
    for (const address of addresses.values()) {
      if (address.kind === 'socket' && address.path.startsWith(`${layout.run}/`)) {
        if (address.path !== layout.gatewaySocket) await rm(address.path, { force: true });
      }
    }
  };

  const stopNow = async (): Promise<void> => {
    const master = findMaster(layout);
    watched = null;
    served = null;
    files.forget();
    if (master !== null) {
      signal(master, 'SIGTERM');
      const deadline = performance.now() + STOP_LIMIT_MS;
      while (isAlive(master) && performance.now() < deadline) await delay(GONE_POLL_MS);
      signal(master, 'SIGKILL');
    }
    for (const orphan of findOrphans(layout)) signal(orphan, 'SIGKILL');
  };

  const watch = setInterval(() => {
    if (busy > 0 || watched === null) return;
    if (!isAlive(watched)) {
      watched = null;
      for (const mourner of mourners) mourner();
      return;
    }
    looks += 1;
    if (damaged || looks < LOOKS_A_CHECK) return;
    if (files.intact()) looks = 0;
    else if (looks > LOOKS_A_CHECK) {
      damaged = true;
      for (const surveyor of surveyors) surveyor();
    }
  }, WATCH_MS);
  watch.unref();

  return {
    layout,
    apply: (configuration) => {
      const applied = inTurn(() => applyNow(configuration));
      // After the answer, so that nobody waits for it; what could not be removed now is tried again the next time.
      void inTurn(() => generations.keep(kept())).catch(() => undefined);
      return applied;
    },
    check: (configuration) => inTurn(() => checkNow(configuration)),
    running: () => Promise.resolve(findMaster(layout) !== null),
    onDeath: (listener) => {
      mourners.add(listener);
      return () => mourners.delete(listener);
    },
    onDamage: (listener) => {
      surveyors.add(listener);
      return () => surveyors.delete(listener);
    },
    intact: () => inTurn(() => Promise.resolve(files.intact())),
    reopenLogs: () =>
      inTurn(async () => {
        const master = findMaster(layout);
        if (master !== null) await reopenLogs(layout, master);
      }),
    stop: () => inTurn(stopNow),
    close: () => clearInterval(watch),
  };

  function kept(): number[] {
    return [served?.generation, previous, generations.current()].filter((number) => typeof number === 'number');
  }
}

function readWords(words: string, roots: readonly string[]): Fault[] {
  const faults = parseNginxFaults(words, roots);
  return faults.length > 0 ? faults : [{ message: words.trim() }];
}

function silence(generation: number): Fault {
  const message = `nginx did not serve generation ${generation} within 10 seconds. Its error log may say why.`;
  return { message, environment: true };
}

/** A fault of the machine: a full disk, a missing program. Mistakes of the program itself are thrown on. */
function systemFault(error: unknown): Fault {
  if (!(error instanceof Error) || !('syscall' in error)) throw error;
  const fault: Fault = { message: `nginx could not be given its configuration: ${error.message}.`, environment: true };
  if ('path' in error && typeof error.path === 'string') fault.path = error.path;
  return fault;
}
