import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * A program and its arguments, as they are started in a network of their own. It runs in the place of `ip`: a signal
 * meets the program itself.
 * @param {{ name: string } | undefined} namespace undefined: in the network of the benchmark
 * @param {string} program
 * @param {...string} args
 * @returns {[string, ...string[]]}
 */
export const within = (namespace, program, ...args) =>
  namespace === undefined ? [program, ...args] : ['ip', 'netns', 'exec', namespace.name, program, ...args];

/**
 * Starts a program of this directory that prints a line when it is ready, which is `said`.
 * @param {string} name
 * @param {string[]} args
 * @param {import('../../e2e/support/namespaces.ts').Namespace} [namespace] the network in which it runs
 */
export async function startProgram(name, args, namespace) {
  const [program, ...words] = within(namespace, process.execPath, join(import.meta.dirname, name), ...args);
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** The next line that it prints. */
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${name} has ended`);
    return value;
  };
  return {
    pid: child.pid ?? 0,
    said: await next(),
    next,
    /** What it answers to a line, which is JSON. */
    async ask(line) {
      child.stdin.write(`${line}\n`);
      return JSON.parse(await next());
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts a program that reads a service's log with the SDK, and resolves when it is connected. */
export async function readLog({ apiUrl }, token, serviceId) {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const file = join(directory, 'token');
  writeFileSync(file, token, { mode: 0o600 });
  try {
    const { next, stop } = await startProgram('logReader.mjs', [apiUrl, file, String(serviceId)]);
    /** `count` says how many lines it has read, as soon as there are more. */
    return { count: async () => Number(await next()), stop };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
