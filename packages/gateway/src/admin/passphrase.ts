import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { createInterface, type Interface } from 'node:readline/promises';
import { InterruptedError, StartError, UsageError } from '../machine/startError.ts';
import { Secret } from '../vault/secret.ts';

/** What is said before anything is asked for. */
export type Asked = { what: string; isRepeated: boolean };

/**
 * A passphrase out of a file, or else asked for on the terminal.
 * @throws {UsageError} where there is neither, or what was repeated differs; {InterruptedError}
 */
export async function readPassphrase(file: string | undefined, { what, isRepeated }: Asked): Promise<Secret> {
  const text = file === undefined ? await ask(what) : (linesOf(file)[0] ?? '');
  if (text === '') throw new UsageError('The passphrase is empty. Choose one of several words.');
  if (file === undefined && isRepeated && (await ask('The same again')) !== text) {
    throw new UsageError('The two passphrases differ. Run the command again.');
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
    throw new UsageError('There is no terminal to ask for a passphrase. Name a file that holds it: --passphrase-file.');
  }
  const silent = new Writable({ write: (_part, _encoding, done) => done() });
  // Before the question is there, the terminal has stopped to echo: no one can type too early.
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  process.stderr.write(`${what}: `);
  try {
    return await answerTo(lines, '');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** Asks for a yes. @throws {UsageError} where there is no terminal, or its input ends; {InterruptedError} */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask for a yes. Say it with --yes.');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await answerTo(lines, `${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** Ctrl+C and the end of the input are no answers; nothing would wait for one then, and the process would end in the middle. */
function answerTo(lines: Interface, question: string): Promise<string> {
  const ended = (): never => {
    throw new UsageError('The question was not answered. Run the command again.');
  };
  return Promise.race([
    // At the end of the input some versions of Node reject the question, others only close.
    lines.question(question).catch(ended),
    once(lines, 'close').then(ended),
    once(lines, 'SIGINT').then(() => {
      throw new InterruptedError();
    }),
  ]);
}
