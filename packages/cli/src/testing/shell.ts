import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { TEST_ADMIN } from '@sallyport/gateway/testing';
import { onTestFinished } from 'vitest';
import type { Environment } from '../context.ts';
import type { Machine } from '../host/machine.ts';
import type { Output } from '../io.ts';
import { run } from '../program.ts';

/** How one run of the command in a test differs from a quiet, piped one. */
export type RunOptions = {
  /** Whether the command sees a terminal; piped otherwise. */
  terminal?: boolean;
  columns?: number;
  env?: Record<string, string>;
  /** What stands in standard input. */
  input?: string;
  /** What someone types at the terminal, each as soon as the question is there. */
  answers?: readonly (readonly [question: string, typed: string])[];
  signal?: AbortSignal;
  /** Called with all that stands on standard output, whenever it grew. */
  onOutput?: (text: string) => void;
  /** The same for standard error. */
  onError?: (text: string) => void;
};

/** What a run left behind. */
export type Ran = { code: number; out: string; err: string };

/** What an administrator's command is told by its environment. */
export const ADMIN_ENV = { SALLYPORT_USERNAME: TEST_ADMIN.username, SALLYPORT_PASSWORD: TEST_ADMIN.password };

/** The address under which a test's gateway is reached. */
export const GATEWAY_URL = 'https://gateway.example.test';

/** Runs commands in process, with streams, a clock, a gateway and a configuration directory of its own, for one test. */
export function createShell(
  fetch: Environment['fetch'],
  now: () => Date = () => new Date('2026-11-21T08:00:00Z'),
  machine?: Machine,
) {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const configDirectory = join(base, 'sallyport');
  return {
    configDirectory,
    configFile: join(configDirectory, 'config.json'),
    /** The configuration of the host that the machine is. */
    hostFile: join(base, 'host', 'config.json'),
    async run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
      const { terminal = false, columns = 120, env = {}, input, signal = new AbortController().signal } = options;
      const stdin = Object.assign(new PassThrough(), { isTTY: terminal, setRawMode: () => undefined });
      const stdout = collector(terminal, columns, options.onOutput);
      const answers = [...(options.answers ?? [])];
      const stderr = collector(terminal, columns, (text) => {
        options.onError?.(text);
        const [question, typed] = answers[0] ?? ['', ''];
        if (question === '' || !text.includes(question)) return;
        answers.shift();
        // No one answers before the question is there in full.
        setImmediate(() => stdin.write(typed));
      });
      if (input !== undefined) stdin.end(input);
      const code = await run(argv, {
        env: { SALLYPORT_CONFIG_DIR: configDirectory, SALLYPORT_CONFIG: join(base, 'host', 'config.json'), ...env },
        stdin,
        stdout: stdout.stream,
        stderr: stderr.stream,
        fetch,
        now,
        signal,
        ...(machine && { machine }),
      });
      return { code, out: stdout.text(), err: stderr.text() };
    },
  };
}

function collector(isTTY: boolean, columns: number, onOutput?: (text: string) => void) {
  let text = '';
  const stream: Output = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        text += String(chunk);
        onOutput?.(text);
        done();
      },
    }),
    { isTTY, columns, rows: 40 },
  );
  return { stream, text: () => text };
}
