import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import { StartError } from '../machine/startError.ts';
import { Secret } from '../vault/secret.ts';

/** What is said before anything is asked for. */
export type Asked = { what: string; isRepeated: boolean };

/**
 * A passphrase out of a file, or else asked for on the terminal.
 * @throws {StartError} where there is neither, or what was repeated differs
 */
export async function readPassphrase(file: string | undefined, { what, isRepeated }: Asked): Promise<Secret> {
  const text = file === undefined ? await ask(what) : (linesOf(file)[0] ?? '');
  if (text === '') throw new StartError('The passphrase is empty. Choose one of several words.');
  if (file === undefined && isRepeated && (await ask('The same again')) !== text) {
    throw new StartError('The two passphrases differ. Run the command again.');
  }
  return new Secret(text);
}

/** The lines of a file that was named. @throws {StartError} */
export function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Asks a question whose answer is not shown. */
async function ask(what: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new StartError('There is no terminal to ask for a passphrase. Name a file that holds it: --passphrase-file.');
  }
  process.stderr.write(`${what}: `);
  const silent = new Writable({ write: (_part, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** Asks for a yes. @throws {StartError} where there is no terminal */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new StartError('There is no terminal to ask for a yes. Say it with --yes.');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
