import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Secret } from '../vault/secret.ts';

/** A program said no, in its own words. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}

const LIMIT_MS = 10_000;
/** In characters; one that says more is ended. */
const MOST_OUTPUT = 1 << 26;
/** A program that we start needs to know where others are, and to speak English. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin:/usr/bin:/bin`,
  LC_ALL: 'C',
});

/**
 * Runs a program to its end, and returns what it printed.
 * @param input for `/dev/stdin`; it is never in an argument, nor in a file with a name
 * @throws {ProgramError} with what it said
 */
export async function runProgram(
  binary: string,
  args: readonly string[],
  input?: Secret | string,
  limitMs = LIMIT_MS,
): Promise<string> {
  const given = input === undefined ? null : openInput(typeof input === 'string' ? input : input.reveal());
  try {
    return await new Promise((resolve, reject) => {
      // A pipe of Node's is a socket, which cannot be opened as /dev/stdin.
      const child = spawn(binary, args, {
        stdio: [given ?? 'ignore', 'pipe', 'pipe'],
        env: environment(),
        timeout: limitMs,
      });
      let output = '';
      let complaint = '';
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        if (output.length > MOST_OUTPUT) child.kill();
      });
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk));
      child.once('error', (cause) => reject(new ProgramError(said(binary, cause.message), { cause })));
      child.once('close', (code, signal) => {
        if (code === 0) resolve(output);
        else reject(new ProgramError(said(binary, complaint || `it ended with ${code ?? signal}`)));
      });
    });
  } finally {
    if (given !== null) closeSync(given);
  }
}

/** A file without a name, for its owner alone, and gone with the last who has it open. */
function openInput(text: string): number {
  const path = join(tmpdir(), `sallyport-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, at);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

const said = (binary: string, text: string): string => `${binary}: ${text.trim().split('\n').slice(0, 3).join(' ')}`;

/** Where a program is: in the directories of the path, else in these; null: nowhere. */
export function findProgram(name: string, moreDirectories: readonly string[]): string | null {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...moreDirectories];
  for (const directory of directories.filter((entry) => entry.startsWith('/'))) {
    const file = join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this directory.
    }
  }
  return null;
}
