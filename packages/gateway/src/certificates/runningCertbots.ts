import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { worksHere } from '../machine/ownProcess.ts';

const END_LIMIT_MS = 2000;
const POLL_MS = 20;

/**
 * Ends what an earlier gateway left running when it was killed: a certbot with this option holds the locks of the
 * directory that the option names, below `directory`.
 */
export async function endCertbots(option: string, directory: string): Promise<void> {
  const left = certbotsWith(option, directory);
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  for (let waited = 0; waited < END_LIMIT_MS && certbotsWith(option, directory).length > 0; waited += POLL_MS)
    await delay(POLL_MS);
}

/** The processes that have this among their arguments and mean our directory; none where the machine has no list of them. */
export function certbotsWith(option: string, directory: string): number[] {
  const numbers = processDirectories().filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return numbers.filter((pid) => argumentsOf(pid).includes(option) && worksHere(Number(pid), directory)).map(Number);
}

function processDirectories(): string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
