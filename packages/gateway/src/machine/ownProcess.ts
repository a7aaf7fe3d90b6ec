import { readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './errorCode.ts';

/**
 * Whether a process works on the very directory that has this name here. Its title alone does not tell: a host sees the
 * processes of its containers, and another gateway may keep its data under the same name there. It has to count
 * processes as we do, and to find the same directory under that name. Mounts of its own, as a service manager gives
 * them, change neither.
 */
export function worksHere(pid: number, directory: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync('/proc/self/ns/pid') && seesSame(pid, directory);
  } catch (error) {
    // A program that may do more than its account, by its file's capabilities, cannot be looked into by that account.
    return ['EACCES', 'EPERM'].includes(errorCode(error)) && isOfThisAccount(pid);
  }
}

function seesSame(pid: number, directory: string): boolean {
  const [there, here] = [`/proc/${pid}/root${directory}`, directory].map((path) =>
    statSync(path, { bigint: true, throwIfNoEntry: false }),
  );
  // It may have been deleted while its nginx runs; then the directory that it was in tells.
  if (here === undefined && there === undefined && directory !== '/') return seesSame(pid, dirname(directory));
  return here !== undefined && there?.dev === here.dev && there.ino === here.ino;
}

/** Whether it runs as we do, and no container is between us. Root may look into everything, so it is not asked. */
function isOfThisAccount(pid: number): boolean {
  if (process.geteuid?.() === 0) return false;
  const [other, own] = [statusOf(pid), statusOf('self')];
  return other !== null && own !== null && other.account === own.account && other.depth === own.depth;
}

/** Its account, and in how many nested spaces of process numbers it has one. */
function statusOf(pid: number | 'self'): { account: string | undefined; depth: number | undefined } | null {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const depth = /^NSpid:\s*(.+)$/m.exec(text)?.[1]?.split(/\s+/).length;
    return { account: /^Uid:\s*(\d+)/m.exec(text)?.[1], depth };
  } catch {
    return null;
  }
}

/**
 * Names this process for `systemctl status`, `ps` and `top`; Node calls each one MainThread. Its title, which is how
 * processes are known to each other, stays as it is. Linux keeps 15 characters.
 */
export function nameOwnProcess(name: string): void {
  try {
    writeFileSync('/proc/self/comm', name);
  } catch {
    // There is no such file; the name is for people alone.
  }
}

const CAP_NET_ADMIN = 12n;

/** Whether this process may change networks and end connections. Root may, but not in every container. */
export function hasNetworkRights(): boolean {
  const rights = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${rights}`) & (1n << CAP_NET_ADMIN)) !== 0n;
}
