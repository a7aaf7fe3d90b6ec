import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Starts a program that reads a service's log with the SDK, and resolves when it is connected. */
export async function readLog(home, token, serviceId) {
  const tokenFile = join(home.directory, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const program = join(import.meta.dirname, 'logReader.mjs');
  const child = spawn(process.execPath, [program, home.url, tokenFile, String(serviceId)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const reader = {
    /** How many lines it has read, as soon as there are more. */
    async count() {
      const { value, done } = await said.next();
      if (done) throw new Error('the reader of the log has ended');
      return Number(value);
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
  const { value } = await said.next();
  if (value !== 'open') {
    await reader.stop();
    throw new Error('the reader of the log did not start');
  }
  return reader;
}
