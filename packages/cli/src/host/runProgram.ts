import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { once } from 'node:events';
import { Failure } from '../failure.ts';

/** How a program ended; 124 when it took too long or was killed. */
export type ProgramEnd = { code: number; out: string; err: string };

const RUN_MAX_MS = 60_000;
const OUTPUT_MAX_CHARS = 1_048_576;
const KILLED = 124;

/**
 * Runs a program with a list of arguments and no input.
 *
 * It has a session of its own: neither Ctrl+C nor a terminal that goes away may stop wg-quick half-way, or the daemon that it leaves
 * behind where the kernel has no WireGuard.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const out = textOf(child.stdout);
    const err = textOf(child.stderr);
    const limit = setTimeout(() => {
      // What it has started goes with it.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, RUN_MAX_MS);
    child.once('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ code: code ?? KILLED, out: out(), err: err() });
    });
  });
}

/** Collects what is printed, as far as anybody would read it. */
function textOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < OUTPUT_MAX_CHARS) text += chunk;
  });
  return () => text;
}

/** Longer than wg-quick may take twice, which is what the other one may be at. */
const LOCK_MAX_MS = 150_000;

/**
 * Waits until no other process holds a directory, and holds it. Node offers no flock, but every system has the program: it
 * runs `cat` while it holds the lock. That ends with its input, so with this process, however this process ends.
 * @param flock where the program is
 * @param directory must be there; nothing is left in it
 * @returns lets go of it
 * @throws {Failure} when the other one does not let go, or the directory cannot be locked
 */
export async function lockDirectory(
  flock: string,
  directory: string,
  env: Readonly<Record<string, string>>,
  maxMs = LOCK_MAX_MS,
): Promise<() => void> {
  // In a session of its own: Ctrl+C must not take the lock from work that goes on.
  const child = spawn(flock, ['-x', directory, 'cat'], {
    env,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const patience = new AbortController();
  const ended = once(child, 'close', { signal: patience.signal }).then(() => false);
  const limit = setTimeout(() => child.kill(), maxMs);
  child.stdin.on('error', () => undefined);
  // cat says it again as soon as it runs, and it runs when the lock is held.
  child.stdin.write('\n');
  const held = once(child.stdout, 'data', { signal: patience.signal }).then(() => true);
  try {
    if (!(await Promise.race([held, ended]))) throw child.killed ? busy() : notHeld(directory);
  } finally {
    clearTimeout(limit);
    held.catch(() => undefined);
    ended.catch(() => undefined);
    patience.abort();
  }
  return () => void child.stdin.end();
}

const notHeld = (directory: string): Failure =>
  new Failure('failed', `The directory ${directory} could not be locked.`, 'See what `flock` says of it.');

const busy = (): Failure =>
  new Failure(
    'failed',
    'Another sallyport command is busy with the tunnel of this host.',
    'Try again when it is done.',
  );
