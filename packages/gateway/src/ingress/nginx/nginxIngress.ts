import { connect } from 'node:net';
import { cpus } from 'node:os';
import { copyFile, stat, truncate, writeFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { DataDirectory } from '../../machine/dataDirectory.ts';
import { isMissing, openGenerations, openIngressFiles } from './generations.ts';
import { type Applied, type ConfigFile, type Ingress, ingressLayout } from './ingress.ts';
import { listenAddresses } from './listenAddresses.ts';
import { reopenLogs } from './logFiles.ts';
import { type Addresses, createNginxControl, type Outcome } from './control.ts';
import { DISK_IS_FULL, type Fault } from './faults.ts';
import { findMaster, isAlive, type ProcessId } from './process.ts';
import { watchOldWorkers } from './oldWorkers.ts';
import { findNginx } from './program.ts';
import { askGeneration } from './servedWait.ts';

/** What nginx serves now. `addresses` is null when the files that say so are gone. */
type Served = { generation: number; addresses: Addresses | null };

/** Whether no one is found by a socket's name: it was deleted, or a copy that was put back has its place. */
function isLost(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ENOENT' || code === 'ECONNREFUSED'));
  });
}

const WATCH_MS = 500;
// A damage harms no one before the next configuration or a crash. It is believed at the second sight: a log that is
// being rotated is gone for a moment, too.
const LOOKS_A_CHECK = 4;
const STATUS_LIMIT_MS = 1000;
const CHECKED = 'checked';
const ORIGIN_FILE = 'origin';
const ERROR_LOG_MAX_BYTES = 4_000_000;

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
  const control = createNginxControl(program, layout, generations);
  const files = openIngressFiles(layout, generations);
  const oldWorkers = watchOldWorkers(layout);
  const mourners = new Set<() => void>();
  const surveyors = new Set<() => void>();
  let served: Served | null = null;
  let highest = 0;
  let watched: ProcessId | null = null;
  let looks = 0;
  let damaged = false;
  const inTurn = pLimit(1);

  const adopt = async (): Promise<Served> => {
    await control.settle();
    const answer = await askGeneration(layout.statusSocket, STATUS_LIMIT_MS);
    const generation = answer?.generation ?? generations.current() ?? 0;
    const texts = answer === null ? null : generations.texts(generation);
    return { generation, addresses: texts === null ? null : listenAddresses(texts) };
  };

  /** One generation: written, started or reloaded, and remembered when it is served. */
  const publish = async (configuration: ConfigFile[], statusSocket: string): Promise<Applied> => {
    const now = findMaster(layout) === null ? null : (served ?? (await adopt()));
    const master = findMaster(layout);
    served = now;
    highest = Math.max(highest, generations.highest(), now?.generation ?? 0) + 1;
    const generation = highest;
    const before = generations.current();
    const outcome = await attempt(async (): Promise<Outcome> => {
      files.repair();
      await generations.write(generation, configuration);
      const texts = configuration.map(({ text }) => text);
      const candidate = { generation, addresses: listenAddresses(texts), workers: countWorkers(texts), statusSocket };
      const tried = await (master === null || now === null
        ? control.start(candidate)
        : control.reload(master, candidate, now));
      if (!tried.ok) return tried;
      served = { generation, addresses: candidate.addresses };
      return tried;
    });
    if (outcome.ok) {
      watched = outcome.master;
      files.remember(generation);
      damaged = false;
      looks = 0;
      return { ok: true, generation };
    }
    // What runs is looked at again before the next one: an nginx that hung may start another one when it goes on.
    served = null;
    if (generations.current() !== before) await generations.point(before).catch(() => undefined);
    await generations.remove(generation).catch(() => undefined);
    return outcome;
  };

  const applyNow = async (configuration: ConfigFile[]): Promise<Applied> => {
    const master = findMaster(layout);
    if (master !== null) {
      const outcome = await attempt(() => regainNames(master));
      if (!outcome.ok) return outcome;
      if (await isLost(layout.statusSocket)) {
        // A socket whose name was deleted stays without one as long as nginx needs its address; for a moment it is not.
        const detour = `${layout.statusSocket}.new`;
        const renamed = configuration.map(({ path, text }) => ({
          path,
          text: text.replaceAll(layout.statusSocket, detour),
        }));
        const applied = await publish(renamed, detour);
        if (!applied.ok) return applied;
      }
    }
    return publish(configuration, layout.statusSocket);
  };

  const originNow = async (): Promise<string | undefined | null> => {
    const isRunning = findMaster(layout) !== null;
    // Behind a socket that no one listens on, the directory is another one than that of the running nginx.
    if (isRunning && (await isLost(layout.statusSocket))) return null;
    if (isRunning) served ??= await adopt();
    const generation = isRunning ? served?.generation : generations.current();
    const isThere = typeof generation === 'number' && generations.texts(generation) !== null;
    return isThere ? generations.file(generation, ORIGIN_FILE) : null;
  };

  /** What a running nginx has open but no one finds any more by its name. */
  const regainNames = async (master: ProcessId): Promise<{ ok: true }> => {
    files.repair();
    if (isMissing(layout.pidFile)) await writeFile(layout.pidFile, `${master.pid}\n`);
    // Else nginx would tell a file without a name why it refuses a configuration.
    if (isMissing(layout.errorLog) || isMissing(layout.accessLog))
      await reopenLogs(layout, master).catch(() => undefined);
    return { ok: true };
  };

  /** The generation that was served last, started from its files where nginx does not run. */
  const resumeNow = async (): Promise<number | null> => {
    if (findMaster(layout) !== null) {
      served = await adopt();
      watched = findMaster(layout);
      return served.generation;
    }
    const generation = generations.current();
    const texts = generation === null ? null : generations.texts(generation);
    if (generation === null || texts === null) return null;
    const { statusSocket } = layout;
    const candidate = { generation, addresses: listenAddresses(texts), workers: countWorkers(texts), statusSocket };
    const started = await control.start(candidate);
    if (!started.ok) return null;
    served = { generation, addresses: candidate.addresses };
    watched = started.master;
    return generation;
  };

  /** nginx adds to its error log at each load, and keeps it open: it is cut, after a copy if the disk takes one. */
  const limitErrorLog = async (): Promise<void> => {
    const { errorLog } = layout;
    if ((await stat(errorLog)).size <= ERROR_LOG_MAX_BYTES) return;
    await copyFile(errorLog, `${errorLog}.old`).catch(() => undefined);
    await truncate(errorLog);
  };

  const checkNow = async (configuration: ConfigFile[]): Promise<Fault[]> => {
    const outcome = await attempt(async () => {
      files.repair();
      const faults = await control.test(await generations.write(CHECKED, configuration));
      return { ok: false as const, faults };
    });
    await generations.remove(CHECKED).catch(() => undefined);
    return outcome.faults;
  };

  const stopNow = async (): Promise<void> => {
    watched = null;
    served = null;
    files.forget();
    await control.stop();
  };

  /** What cannot even be looked at is damaged, too. */
  const isIntact = (): boolean => {
    try {
      return files.intact();
    } catch {
      return false;
    }
  };

  const watch = setInterval(() => {
    if (inTurn.activeCount + inTurn.pendingCount > 0 || watched === null) return;
    if (!isAlive(watched)) {
      watched = null;
      for (const mourner of mourners) mourner();
      return;
    }
    looks += 1;
    if (damaged || looks < LOOKS_A_CHECK) return;
    if (isIntact()) looks = 0;
    else if (looks > LOOKS_A_CHECK) {
      damaged = true;
      for (const surveyor of surveyors) surveyor();
    }
  }, WATCH_MS);
  watch.unref();

  return {
    layout,
    apply: (configuration, origin) => {
      const more = origin === undefined ? [] : [{ path: ORIGIN_FILE, text: origin }];
      const applied = inTurn(() => applyNow([...configuration, ...more]));
      // After the answer, so that no one waits for it; what could not be removed now is tried again the next time.
      void inTurn(() => generations.keep(kept())).catch(() => undefined);
      void inTurn(limitErrorLog).catch(() => undefined);
      void inTurn(() => Promise.resolve(oldWorkers.look())).catch(() => undefined);
      return applied;
    },
    hasRoom: oldWorkers.hasRoom,
    origin: () => inTurn(originNow),
    check: (configuration) => inTurn(() => checkNow(configuration)),
    resume: () => inTurn(() => resumeNow().catch(() => null)),
    running: () => Promise.resolve(findMaster(layout) !== null),
    onDeath: (listener) => {
      mourners.add(listener);
      return () => mourners.delete(listener);
    },
    onDamage: (listener) => {
      surveyors.add(listener);
      return () => surveyors.delete(listener);
    },
    intact: () => inTurn(() => Promise.resolve(isIntact())),
    reopenLogs: () =>
      inTurn(async () => {
        const master = findMaster(layout);
        if (master !== null) await reopenLogs(layout, master);
      }),
    stop: () => inTurn(stopNow),
    close: () => {
      clearInterval(watch);
      oldWorkers.stop();
    },
  };

  /** One that is served no more holds the keys of domains that may be gone, and old workers have all of it in memory. */
  function kept(): number[] {
    return [served?.generation, generations.current()].filter((number) => typeof number === 'number');
  }
}

/** As nginx counts them: `auto` is one for each processor of the machine. */
function countWorkers(texts: readonly string[]): number {
  const wanted = texts
    .map((text) => /^worker_processes +(auto|\d+);/m.exec(text)?.[1])
    .find((word) => word !== undefined);
  return wanted === 'auto' ? cpus().length : Number(wanted ?? 1);
}

/** Turns a failure of the machine into a fault. */
async function attempt<T extends { ok: boolean }>(
  action: () => Promise<T>,
): Promise<T | { ok: false; faults: Fault[] }> {
  try {
    return await action();
  } catch (error) {
    return { ok: false, faults: [systemFault(error)] };
  }
}

const CAUSES: Record<string, string> = {
  ENOSPC: DISK_IS_FULL,
  EDQUOT: "The quota of the data directory's disk is used up",
  EROFS: 'The file system of the data directory is read-only',
};

/** A fault of the machine: a full disk, a missing program. Mistakes of the program itself are thrown on. */
function systemFault(error: unknown): Fault {
  if (!(error instanceof Error)) throw error;
  const code = 'code' in error ? String(error.code) : '';
  if (!('syscall' in error)) throw error;
  const message = CAUSES[code] ?? `nginx could not be given its configuration: ${error.message}`;
  const fault: Fault = { message, environment: true, ...(code in CAUSES && { disk: true }) };
  if ('path' in error && typeof error.path === 'string') fault.path = error.path;
  return fault;
}
