import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Halt, say } from './say.mjs';

const TAIL_LINES = 30;

/**
 * Runs a command without a terminal and keeps what it prints, which is worth reading only when it fails.
 * Resolves to its exit code (null when it could not start or a signal ended it), its output and the end of that.
 * An AbortSignal as `signal` interrupts the command, which may still end what it must not break off.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, detached?: boolean, signal?: AbortSignal }} [options]
 * @returns {Promise<{ code: number | null, output: string, tail: string }>}
 */
export function quietly(command, args, { signal, ...options } = {}) {
  return new Promise((resolve) => {
    let output = '';
    const keep = (chunk) => {
      output += chunk;
    };
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    signal?.addEventListener('abort', () => child.kill('SIGINT'));
    const end = (code) => resolve({ code, output, tail: lastLines(output) });
    child.once('error', (error) => {
      keep(error.message);
      end(null);
    });
    child.once('close', end);
  });
}

function lastLines(text) {
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

/** From one attempt to the next: a network or a mirror that stumbled has often recovered by then. */
const PAUSES_MS = [2000, 10_000];

/**
 * Runs what depends on a network until it returns no failure: three times at most, saying each time why once more.
 *
 * @param {() => Promise<string | undefined>} attempt returns what went wrong, in lines
 * @param {{ pausesMs?: number[], signal?: AbortSignal }} [options] `signal` interrupts a pause
 * @returns {Promise<string | undefined>} what went wrong the last time
 */
export async function withRetries(attempt, { pausesMs = PAUSES_MS, signal } = {}) {
  for (const pause of pausesMs) {
    const failure = await attempt();
    if (failure === undefined) return undefined;
    say(`${failure}\nsallyport: trying again in ${pause / 1000} s ...`);
    await delay(pause, undefined, { signal }).catch(() => {
      throw new Halt('interrupted.');
    });
  }
  return attempt();
}
