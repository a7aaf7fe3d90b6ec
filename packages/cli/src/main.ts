#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { run } from './program.ts';

const stopped = new AbortController();
const { env, stdin, stdout, stderr } = process;

// The second time it is meant: whatever still hangs is left.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => (stopped.signal.aborted ? process.exit(130) : stopped.abort(new Error(signal))));
}
// `sallyport logs … | head`: the reader has seen enough.
stdout.on('error', (error) => stopped.abort(error));
stderr.on('error', () => undefined);

const code = await run(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  fetch: (request) => fetch(request),
  now: () => new Date(),
  signal: stopped.signal,
  self: [process.execPath, fileURLToPath(import.meta.url)],
});

// What was written may still be on its way to a slow reader.
if (stdout.destroyed) process.exit(code);
stdout.write('', () => process.exit(code));
