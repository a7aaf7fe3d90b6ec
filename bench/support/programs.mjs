import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { within } from './within.mjs';

/** Starts a program of this directory that prints its port when it is ready. */
export async function startProgram(name, args) {
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    ended.then(() => {
      throw new Error(`${name} did not start`);
    }),
  ]);
  return {
    pid: child.pid ?? 0,
    port: Number(line),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Starts a program of this directory that prints a line when it is ready, and another one for each that it is given.
 * @param {string} name
 * @param {string[]} args
 * @param {import('../../e2e/support/namespaces.ts').Namespace} [namespace] the network in which it runs
 */
export async function startAsked(name, args, namespace) {
  const [program, ...words] = within(namespace, process.execPath, join(import.meta.dirname, name), ...args);
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${name} has ended`);
    return JSON.parse(value);
  };
  await next();
  return {
    /** What it answers, which is JSON. */
    ask(line) {
      child.stdin.write(`${line}\n`);
      return next();
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
