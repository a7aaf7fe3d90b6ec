import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type AccessLog, type AccessLogOptions, openAccessLog } from '../logs/accessLog.ts';
import type { LineKey } from '../world.ts';
import { everyLog, pathsIn, rawLine, readLog } from './logTrial.ts';

/** The service and the domain of the lines of `entries`. */
export const KEY: LineKey = { kind: 'http', id: 5 };
export const DOMAIN: LineKey = { kind: 'domain', id: 2 };
export const SOON = { timeout: 20_000 };

/** Lines of requests for /from, /from+1 and so on, as nginx writes them. */
export const entries = (from: number, to: number, filler = ''): string =>
  numbers(from, to)
    .map((path) => rawLine(`${path}${filler}`))
    .join('');

/** The paths of those. */
export const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `/${from + index}`);

/** All paths that a log keeps of a service or a domain. */
export async function paths(log: AccessLog, key = KEY): Promise<string[]> {
  const reader = await readLog(log, key);
  await expect.poll(() => reader.batches.length, SOON).toBeGreaterThan(0);
  reader.stop();
  return pathsIn(reader.texts());
}

/** Ends the process that stores the lines, so that it can do nothing about it. */
export function killIngest(log: AccessLog): number {
  const pid = log.pid();
  if (pid === null) throw new Error('no process stores log lines');
  process.kill(pid, 'SIGKILL');
  return pid;
}

/** nginx's log and what is kept of it, in a directory of their own. */
export function createAccessLogTrial() {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-log-'));
  const file = join(base, 'access.log');
  const directory = join(base, 'kept');
  const notices: string[] = [];
  const opened: AccessLog[] = [];
  let reopened = 0;
  return {
    base,
    /** nginx's log. */
    file,
    /** What is kept. */
    directory,
    /** What the gateway's own log was told. */
    notices,
    /** How often nginx was asked to open its log again. */
    reopened: () => reopened,
    /** Opens a log that has read what is there. */
    async open(options: Partial<AccessLogOptions> = {}): Promise<AccessLog> {
      const log = openAccessLog({
        path: file,
        directory,
        historyBytes: 10_000_000,
        known: everyLog(),
        reopenLogs() {
          reopened += 1;
          // As nginx does it: the name leads to a file again.
          appendFileSync(file, '');
          return Promise.resolve();
        },
        notices: { info: (_, text) => notices.push(text), warn: (_, text) => notices.push(text) },
        ...options,
      });
      opened.push(log);
      await log.caughtUp();
      return log;
    },
    /** Ends a log in the middle of its work. */
    async kill(log: AccessLog): Promise<void> {
      killIngest(log);
      await log.close();
    },
    async closeLogs(): Promise<void> {
      for (const log of opened) await log.close();
    },
    async close(): Promise<void> {
      for (const log of opened) await log.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
