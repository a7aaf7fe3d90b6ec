import { run } from './program.ts';

/** Runs the command of this process. `self` is the file that starts it. */
export async function start(self: string): Promise<void> {
  const stopped = new AbortController();
  const { env, stdin, stdout, stderr } = process;

  /** No person asks again so soon, but a library that cleans up behind a signal sends it once more (`when-exit` does). */
  const ECHO_MS = 200;
  let askedAt = Number.NEGATIVE_INFINITY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
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
    self: [process.execPath, self],
  });

  // What was written may still be on its way to a slow reader.
  if (stdout.destroyed) process.exit(code);
  stdout.write('', () => process.exit(code));
}
