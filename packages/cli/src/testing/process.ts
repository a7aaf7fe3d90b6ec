import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built command. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const END_MAX_MS = 60_000;

/** A command that runs as a process. */
export type Started = {
  child: ChildProcessWithoutNullStreams;
  out: () => string;
  err: () => string;
  /** Fulfilled as soon as what came out so far, both streams together, matches. */
  until: (pattern: RegExp) => Promise<void>;
  /** Fulfilled with how it ended. */
  ended: Promise<{ code: number | null; out: string; err: string }>;
};

// What this process was started with must not decide what the tested one does; least of all CI, which stills Ink.
const bare = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', TERM: 'xterm-256color', LANG: 'C.UTF-8' };

/** Starts the built command with its streams piped. */
export const startPiped = (argv: readonly string[], env: Record<string, string>): Started =>
  watched(spawn(process.execPath, [MAIN, ...argv], { env: { ...bare, ...env } }));

/** Starts the built command as a program of its own, as an installed one is. */
export const startInstalled = (argv: readonly string[]): Started => watched(spawn(MAIN, argv, { env: bare }));

/** Starts the built command in a pseudo-terminal of 100 columns and 30 rows, made by `script` of util-linux. With `TESTED_OUTPUT` its results go to that file. */
export const startInTerminal = (argv: readonly string[], env: Record<string, string>): Started => {
  // `script` takes one line for a shell. It holds names of variables alone; what differs reaches it by the environment.
  const line = [
    'stty cols 100 rows 30; exec "$TESTED_NODE" "$TESTED_MAIN"',
    ...argv.map((_, at) => `"$TESTED_${at}"`),
    env['TESTED_OUTPUT'] === undefined ? '' : '> "$TESTED_OUTPUT"',
  ].join(' ');
  const words = Object.fromEntries(argv.map((word, at) => [`TESTED_${at}`, word]));
  return watched(
    spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
      env: { ...bare, ...env, ...words, SHELL: '/bin/sh', TESTED_NODE: process.execPath, TESTED_MAIN: MAIN },
    }),
  );
};

/** Follows what a process prints; one that lives longer than `limitMs` is ended. */
export function watched(child: ChildProcessWithoutNullStreams, limitMs = END_MAX_MS): Started {
  let out = '';
  let err = '';
  const waiting = new Set<() => void>();
  const grew = () => {
    for (const check of waiting) check();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    grew();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    grew();
  });
  // One that has ended reads no more.
  child.stdin.on('error', () => undefined);
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ code, out, err });
      grew();
    });
  });
  const until = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        const isThere = pattern.test(`${out}${err}`);
        if (!isThere && child.exitCode === null && child.signalCode === null) return;
        waiting.delete(check);
        if (isThere) resolve();
        else reject(new Error(`It ended without ${pattern}: ${out}${err}`));
      };
      waiting.add(check);
      check();
    });
  return { child, out: () => out, err: () => err, until, ended };
}
