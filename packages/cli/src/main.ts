#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/** The oldest release that the command runs on, as `engines` in package.json says. */
const OLDEST_NODE = { major: 22, minor: 12 };
/** A library that cleans up after a signal sends it once more (`when-exit` does); no person is that fast. */
const ECHO_MS = 200;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > OLDEST_NODE.major || (major === OLDEST_NODE.major && minor >= OLDEST_NODE.minor)) await start();
else {
  process.stderr.write(
    `sallyport: This is Node ${process.versions.node}, and sallyport needs ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer. Install a newer Node, or the Debian package of sallyport, which brings its own.\n`,
  );
  process.exitCode = 1;
}

/** Runs the command of this process. */
async function start(): Promise<void> {
  // Node's fetch reads HTTP by WebAssembly. After two answers V8 would compile that again for speed, and the end of the
  // process would wait for it: `service list` took 4.9 times as long as bare Node, and takes 3.4.
  setFlagsFromString('--wasm-tiering-budget=2000000000');
  // An older Node may not even be able to read the other files; this one it can.
  const { run } = await import('./program.ts');
  nameProcess();
  const stopped = new AbortController();
  const { env, stdin, stdout, stderr } = process;

  let askedAt = Number.NEGATIVE_INFINITY;
  // By SIGUSR2 the next version of a service takes over from this one, which keepConnected knows.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) {
    process.on(signal, () => {
      const isFirst = askedAt === Number.NEGATIVE_INFINITY;
      // A terminal shows the key as ^C; what is said next begins on a line of its own.
      if (signal === 'SIGINT' && isFirst && stderr.isTTY) stderr.write('\n');
      // The second time it is meant: whatever still hangs is left.
      if (!isFirst && performance.now() - askedAt > ECHO_MS) process.exit(130);
      if (isFirst) askedAt = performance.now();
      stopped.abort(new Error(signal));
    });
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
}

/** For `systemctl status`, `ps` and `top`: Node calls each process MainThread. */
function nameProcess(): void {
  try {
    writeFileSync('/proc/self/comm', 'sallyport');
  } catch {
    // There is no such file; the name is for people alone.
  }
}
