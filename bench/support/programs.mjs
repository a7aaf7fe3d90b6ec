import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

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
