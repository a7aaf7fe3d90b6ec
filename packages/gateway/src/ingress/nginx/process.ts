import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { IngressLayout } from './ingress.ts';
import { worksHere } from '../../machine/ownProcess.ts';

/** A process, told apart from a later one with the same number by the time of its start. */
export type ProcessId = { pid: number; startTime: string };

/** A key for maps and sets. */
export const nameOf = ({ pid, startTime }: ProcessId): string => `${pid} ${startTime}`;

/**
 * A worker of nginx. One that is not ready yet is going to take connections, and has its master's title until then. A
 * closing one takes none any more; it only finishes those that it has.
 */
export type NginxWorker = ProcessId & { ready: boolean; closing: boolean };

type Stat = ProcessId & { state: string; parent: number };

/** Our nginx's master, by its pid file or, when that is gone or wrong, by looking at every process. */
export function findMaster(layout: IngressLayout): ProcessId | null {
  return asMaster(layout, readPidFile(layout.pidFile)) ?? scan((pid) => asMaster(layout, pid));
}

/** The master that another one has started in its place; null until it has read its configuration. */
export function findSuccessor(layout: IngressLayout, master: ProcessId): ProcessId | null {
  const found = asMaster(layout, readPidFile(layout.pidFile));
  return found?.pid === master.pid ? null : found;
}

/** Further masters of ours, next to the one that counts: a gateway that was killed during a reload left two. */
export function findOtherMasters(layout: IngressLayout): ProcessId[] {
  const master = findMaster(layout);
  const others: ProcessId[] = [];
  scan((pid) => {
    const found = pid === master?.pid ? null : asMaster(layout, pid);
    if (found !== null) others.push(found);
    return null;
  });
  return others;
}

/** An nginx of ours that reads its configuration and serves nothing yet. */
export function findReader(layout: IngressLayout): ProcessId | null {
  return scan((pid) => {
    const title = readTitle(pid);
    if (title.startsWith('nginx: ') || !title.includes(` -p ${layout.directory} -c `)) return null;
    const stat = readStat(pid);
    return stat !== null && stat.state !== 'Z' && worksHere(pid, layout.directory) ? identity(stat) : null;
  });
}

/** Another master that this one has started, from the moment that it is there; none of `known`. */
export function findNewMaster(master: ProcessId, known: ReadonlySet<number>): ProcessId | null {
  for (const pid of children(master.pid)) {
    const stat = known.has(pid) || readTitle(pid).startsWith('nginx: worker process') ? null : readStat(pid);
    if (stat !== null) return identity(stat);
  }
  return null;
}

/** Whether this very process still runs. */
export function isAlive({ pid, startTime }: ProcessId): boolean {
  const stat = readStat(pid);
  return stat !== null && stat.startTime === startTime && stat.state !== 'Z';
}

/** Whether a process has something to do at this moment: it runs, waits for a processor or for the disk. */
export const isBusy = ({ pid }: ProcessId): boolean => ['R', 'D'].includes(readStat(pid)?.state ?? '');

/** The workers of a master, those that are beginning and closing ones included. */
export function listWorkers(master: ProcessId): NginxWorker[] {
  const mastersTitle = readTitle(master.pid);
  return children(master.pid).flatMap((pid) => {
    const title = readTitle(pid);
    const stat = readStat(pid);
    const ready = title.startsWith('nginx: worker process');
    if (stat === null || !(ready || title === mastersTitle)) return [];
    return [{ pid, startTime: stat.startTime, ready, closing: title.includes('is shutting down') }];
  });
}

/** The numbers of all processes that a master has started, without a look at any of them. */
export const listChildren = (master: ProcessId): number[] => children(master.pid);

/**
 * Processes of ours whose master is gone. They keep the ports, and answer with an old configuration, until they are
 * told to end. They are known by the logs that they hold open.
 */
export function findOrphans(layout: IngressLayout): NginxWorker[] {
  const master = findMaster(layout);
  const orphans: NginxWorker[] = [];
  scan((pid) => {
    const title = readTitle(pid);
    if (!title.startsWith('nginx: ') || title.startsWith('nginx: master')) return null;
    const stat = readStat(pid);
    if (stat === null || stat.parent === master?.pid || !worksHere(pid, layout.directory)) return null;
    if (holdsFileBelow(pid, `${layout.logs}/`)) {
      orphans.push({ pid, startTime: stat.startTime, ready: true, closing: title.includes('is shutting down') });
    }
    return null;
  });
  return orphans;
}

/** The workers of ours that take nothing new and finish what they have, also those of a master that is gone. */
export function listClosing(layout: IngressLayout): NginxWorker[] {
  const master = findMaster(layout);
  const workers = [...(master === null ? [] : listWorkers(master)), ...findOrphans(layout)];
  return workers.filter(({ closing }) => closing);
}

/** The memory of a process in bytes; its part alone of what it shares with others. */
export function memoryOf(pid: number | 'self'): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
}

/** The inodes of the sockets that a process holds open; none when it is gone or not ours to look into. */
export function socketsOf(pid: number): number[] {
  return [...openFiles(pid)].flatMap((link) => {
    const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
    return inode === undefined ? [] : [Number(inode)];
  });
}

/** Sends a signal; false when the process is already gone. */
export function signal(target: ProcessId, name: NodeJS.Signals): boolean {
  if (!isAlive(target)) return false;
  try {
    return process.kill(target.pid, name);
  } catch {
    return false;
  }
}

function asMaster(layout: IngressLayout, pid: number | null): ProcessId | null {
  if (pid === null) return null;
  const title = readTitle(pid);
  if (!title.startsWith('nginx: master process ') || !title.includes(` -p ${layout.directory} -c `)) return null;
  const stat = readStat(pid);
  return stat === null || stat.state === 'Z' || !worksHere(pid, layout.directory) ? null : identity(stat);
}

const identity = ({ pid, startTime }: Stat): ProcessId => ({ pid, startTime });

function readPidFile(file: string): number | null {
  const pid = Number.parseInt(read(file), 10);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}

/** A title fills the place of the old arguments; what is left of them is zeros. */
function readTitle(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trimEnd();
}

function readStat(pid: number): Stat | null {
  const text = read(`/proc/${pid}/stat`);
  // The name may hold spaces and brackets; the fields begin behind its last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = fields;
  const startTime = fields[19];
  if (state === undefined || parent === undefined || startTime === undefined) return null;
  return { pid, state, parent: Number(parent), startTime };
}

function children(parent: number): number[] {
  const listed = read(`/proc/${parent}/task/${parent}/children`).trim();
  if (listed !== '') return listed.split(' ').map(Number);
  // Not every kernel has that list.
  const found: number[] = [];
  scan((pid) => {
    if (readStat(pid)?.parent === parent) found.push(pid);
    return null;
  });
  return found;
}

function scan<T>(visit: (pid: number) => T | null): T | null {
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? visit(Number(name)) : null;
    if (found !== null) return found;
  }
  return null;
}

function holdsFileBelow(pid: number, directory: string): boolean {
  // Logs are among the first that nginx opens, before thousands of connections.
  for (const link of openFiles(pid)) if (link.startsWith(directory)) return true;
  return false;
}

/** What the descriptors of a process lead to. */
function* openFiles(pid: number): Generator<string> {
  for (const name of listDescriptors(pid)) {
    try {
      yield readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      // It was closed meanwhile.
    }
  }
}

function listDescriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
