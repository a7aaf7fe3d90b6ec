import { readFileSync } from 'node:fs';

/**
 * The workers of an nginx that take connections, as process ids.
 * @param {string} pidFile where its master's is written
 */
export function openWorkers(pidFile) {
  const master = readFileSync(pidFile, 'utf8').trim();
  const children = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').match(/\d+/g) ?? [];
  const workers = children.map(Number).filter((pid) => /^nginx: worker process *\0*$/.test(titleOf(pid)));
  if (workers.length === 0) throw new Error(`the nginx of ${pidFile} has no worker`);
  return workers;
}

/**
 * Does something while no worker but one takes connections.
 * @template T
 * @param {number[]} others the other ones
 * @param {() => Promise<T>} action
 */
export async function without(others, action) {
  try {
    for (const pid of others) process.kill(pid, 'SIGSTOP');
    return await action();
  } finally {
    for (const pid of others) process.kill(pid, 'SIGCONT');
  }
}

const titleOf = (pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8');
