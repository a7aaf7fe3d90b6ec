import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

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
