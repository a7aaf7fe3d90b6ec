import type { LineKey, LineSink } from '../world.ts';
import {
  type AccessLog,
  type AccessLogOptions,
  type KnownLogs,
  type LogSource,
  openAccessLog,
} from '../logs/accessLog.ts';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A reader of a log, for the tests of logs. */
export type LogTrialReader = {
  resumed: boolean;
  /** What it was given, batch by batch. */
  batches: string[][];
  texts(): string[];
  /** Fulfilled with the first batch. */
  first: Promise<void>;
  lastId(): string;
  ended(): boolean;
  /** From now on it has no room, until it takes. */
  hold(): void;
  take(): void;
  stop(): void;
};

/** Services and domains that a test makes and removes. */
export function createKnownKeys(keys: readonly LineKey[]): KnownLogs & { set(key: LineKey, isKnown: boolean): void } {
  let all = [...keys];
  const listeners = new Set<(key: LineKey, isKnown: boolean) => void>();
  return {
    all: () => all,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(key, isKnown) {
      all = all.filter(({ kind, id }) => kind !== key.kind || id !== key.id);
      if (isKnown) all.push(key);
      for (const listener of listeners) listener(key, isKnown);
    },
  };
}

/** The services and domains of a trial: as if there were each that it may make. */
export const everyLog = (): KnownLogs =>
  createKnownKeys(
    (['domain', 'http', 'tcp'] as const).flatMap((kind) => Array.from({ length: 50 }, (_, id) => ({ kind, id }))),
  );

/** Begins to read a log, from its beginning unless told otherwise. */
export async function readLog(
  source: Pick<LogSource, 'open'>,
  key: LineKey,
  from: { count?: number; afterId?: string; withDetails?: boolean } = {},
): Promise<LogTrialReader> {
  const { count = 1_000_000, afterId = null, withDetails = false } = from;
  const reader = await source.open(key, { count, afterId, withDetails });
  const batches: string[][] = [];
  const first = Promise.withResolvers<void>();
  let lastId = '';
  let ended = false;
  let held: PromiseWithResolvers<void> | null = null;
  const sink: LineSink = {
    push(texts, id) {
      batches.push(texts);
      lastId = id;
      first.resolve();
    },
    room: () => held?.promise ?? null,
    end() {
      ended = true;
    },
  };
  const stop = reader.read(sink);
  return {
    resumed: reader.resumed,
    batches,
    texts: () => batches.flat(),
    first: first.promise,
    lastId: () => lastId,
    ended: () => ended,
    hold() {
      held ??= Promise.withResolvers();
    },
    take() {
      held?.resolve();
      held = null;
    },
    stop,
  };
}

/** The paths of the requests in lines. */
export const pathsIn = (texts: readonly string[]): string[] =>
  texts.map((text) => /"(?:GET )?(\S*)/.exec(text)?.[1] ?? '');

/** A line of a request as nginx writes it, with its break. */
export const rawLine = (path: string, more: object = {}): string =>
  `${JSON.stringify({ t: '1795331411.123', d: '2', s: '5', k: 'http', c: '203.0.113.7', r: `GET ${path} HTTP/1.1`, st: '200', b: '1', ms: '0.001', u: '', ...more })}\n`;

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
  await reader.first;
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

/** A program: a gateway's log in a directory, to be killed. It says the process that stores the lines, once they are stored. */
if (import.meta.main) {
  const [, , base = ''] = process.argv;
  const log = openAccessLog({
    path: join(base, 'access.log'),
    directory: join(base, 'kept'),
    historyBytes: 10_000_000,
    known: everyLog(),
    reopenLogs: () => Promise.resolve(),
    notices: { info: () => undefined, warn: () => undefined },
  });
  await log.caughtUp();
  process.send?.(log.pid());
}
