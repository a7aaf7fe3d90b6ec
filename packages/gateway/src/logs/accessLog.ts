import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { LineKey, World } from '../world.ts';
import type { FromIngest, ToIngest } from './ingestProcess.ts';
import { createLineReaders } from './lineReaders.ts';
import { isDamage, openToRead } from './schema.ts';
import { readStoredLines, type StoredLines } from './storedLines.ts';
import type { RowKind } from '../store/transaction.ts';
import type { Store } from '../store/store.ts';

/** The lines of services and domains: their history, and those that come. */
export type LogSource = World['lines'] & {
  /** Why lines that were stored before are not shown, in a sentence; null when all are. */
  problem(): string | null;
  close(): Promise<void>;
};

/** nginx's access log as a log source. */
export type AccessLog = LogSource & {
  /** Fulfilled when everything that was written before the call can be read. */
  caughtUp(): Promise<void>;
  /** The process that stores the lines; null while there is none. */
  pid(): number | null;
};

/** Told of what goes wrong and what is right again; as pino does it. */
export type LogNotices = Record<'info' | 'warn', (facts: object, text: string) => void>;

/** Which services and domains there are; nothing is stored for others. */
export type KnownLogs = {
  all(): LineKey[];
  /** Calls back with each one that is new or gone; returns the way to stop. */
  onChange(listener: (key: LineKey, isKnown: boolean) => void): () => void;
};

export type AccessLogOptions = {
  /** nginx's access log. It need not be there yet. */
  path: string;
  /** The gateway's own directory for what is stored. */
  directory: string;
  /** Bytes stored for each service and each domain. */
  historyBytes: number;
  known: KnownLogs;
  /** Has nginx open its log again; fulfilled when no process of it writes to another file any more. */
  reopenLogs(): Promise<void>;
  notices: LogNotices;
  /** From this size on nginx's log is moved away and removed once it is read. */
  rotateBytes?: number;
  /** When more is to be read than this, the oldest of it is skipped. */
  mostWaitingBytes?: number;
};

const DATABASE = 'lines.db';
const ROTATE_BYTES = 32 * 1024 * 1024;
const MOST_WAITING_BYTES = 512 * 1024 * 1024;
/** A reader that begins waits no longer than this until what nginx has written by then is read. */
const FRESH_MS = 300;
/** For the process to start, after that of the gateway. */
const START_MS = 5000;
const RESTART_MS = 1000;
const CLOSE_MS = 5000;
/** Its source and the built program have different endings. */
const PROGRAM = new URL(import.meta.url.endsWith('.ts') ? './ingestProcess.ts' : './ingestProcess.js', import.meta.url);

const nameOf = ({ kind, id }: LineKey): string => `${kind}/${id}`;

/** Opens nginx's access log: a process of its own stores what is not stored yet, and then follows it. */
export function openAccessLog(options: AccessLogOptions): AccessLog {
  const { directory, notices } = options;
  const path = join(directory, DATABASE);
  let child: ChildProcess | null = null;
  let restart: NodeJS.Timeout | undefined;
  let isClosed = false;
  let ready = Promise.withResolvers<void>();
  let database: Database | null = null;
  let lines: StoredLines | null = null;
  let problem: string | null = null;
  let watched: string[] = [];
  let lastId = 0;
  const catchUps = new Map<number, () => void>();

  const tell = (message: ToIngest): void => {
    // A process that ends in this moment is told again by the next one's start.
    if (child?.connected === true) child.send(message, () => undefined);
  };
  const stopReading = (): void => {
    lines = null;
    database?.close();
    database = null;
  };
  const failed = (error: unknown): void => {
    notices.warn({ err: error }, 'log lines cannot be read');
    if (!isDamage(error)) return;
    stopReading();
    tell({ is: 'damaged' });
  };
  const readers = createLineReaders({
    lines: () => lines,
    watch(names) {
      watched = names;
      tell({ is: 'watched', names });
    },
    hold: (on) => tell({ is: 'hold', on }),
    failed,
  });
  const reopen = (): void => {
    options.reopenLogs().then(
      () => tell({ is: 'reopened', ok: true }),
      (error: unknown) => {
        notices.warn({ err: error }, 'nginx did not open its log again; it is told once more');
        tell({ is: 'reopened', ok: false });
      },
    );
  };

  const hear = (message: FromIngest): void => {
    switch (message.is) {
      case 'ready':
        stopReading();
        try {
          database = openToRead(path);
          lines = readStoredLines(database);
        } catch (error) {
          failed(error);
        }
        ready.resolve();
        for (const id of catchUps.keys()) tell({ is: 'catchUp', id });
        return readers.wakeAll();
      case 'stored':
        return readers.stored(message.added);
      case 'reopen':
        return reopen();
      case 'caughtUp':
        return catchUps.get(message.id)?.();
      case 'setAside':
        stopReading();
        problem = `The database of log lines was damaged. It is kept as ${message.path}, and the lines from before are not shown.`;
        return notices.warn({ file: message.path }, 'the database of log lines was damaged; a new one was begun');
      case 'unwritable':
        return notices.warn(
          { reason: message.reason },
          'log lines cannot be stored; nginx keeps them while it has room',
        );
      case 'gaveUp':
        return notices.warn(
          { bytes: message.bytes },
          'a part of nginx’s log was removed unread: there was too much of it',
        );
      case 'written':
        return notices.info({}, 'log lines are stored again');
    }
  };

  const start = (): void => {
    // In a session of its own: Ctrl+C is for the gateway, which ends it in order.
    const started = fork(PROGRAM, {
      execArgv: ['--max-semi-space-size=4'],
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child = started;
    let hasEnded = false;
    const ended = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      child = null;
      if (isClosed) return;
      notices.warn({ pid: started.pid }, 'the process that stores log lines ended; it is started again');
      restart = setTimeout(start, RESTART_MS);
    };
    started.on('message', hear).on('exit', ended).on('error', ended);
    tell({
      is: 'begin',
      path: options.path,
      directory,
      database: path,
      historyBytes: options.historyBytes,
      rotateBytes: options.rotateBytes ?? ROTATE_BYTES,
      mostWaitingBytes: options.mostWaitingBytes ?? Math.max(MOST_WAITING_BYTES, options.historyBytes),
      names: options.known.all().map(nameOf),
      watched,
    });
  };
  const forgetKnown = options.known.onChange((key, isKnown) =>
    tell({ is: isKnown ? 'known' : 'gone', name: nameOf(key) }),
  );
  start();

  const askToCatchUp = (): Promise<void> =>
    new Promise((resolve) => {
      if (isClosed) return resolve();
      lastId += 1;
      const id = lastId;
      catchUps.set(id, () => {
        catchUps.delete(id);
        resolve();
      });
      tell({ is: 'catchUp', id });
    });
  let asked: Promise<void> | null = null;
  let askedNext: Promise<void> | null = null;
  /** Everyone who asks while an answer is awaited shares the next one: it covers what was written until then, too. */
  const caughtUp = (): Promise<void> => {
    if (asked === null) {
      asked = askToCatchUp().finally(() => (asked = null));
      return asked;
    }
    askedNext ??= asked.then(() => {
      askedNext = null;
      return caughtUp();
    });
    return askedNext;
  };

  return {
    async open(key, from) {
      await Promise.race([ready.promise, delay(START_MS, null, { ref: false })]);
      await Promise.race([caughtUp(), delay(FRESH_MS, null, { ref: false })]);
      return readers.open(nameOf(key), from);
    },
    lastTimes(keys) {
      const names = keys.map(nameOf);
      let times: ReadonlyMap<string, number> | undefined;
      try {
        times = lines?.lastTimes(names);
      } catch (error) {
        failed(error);
      }
      return names.map((name) => times?.get(name) ?? null);
    },
    problem: () => problem,
    caughtUp,
    pid: () => child?.pid ?? null,
    async close() {
      isClosed = true;
      forgetKnown();
      clearTimeout(restart);
      for (const done of catchUps.values()) done();
      stopReading();
      if (child === null) return;
      const ended = once(child, 'exit');
      tell({ is: 'close' });
      const late = setTimeout(() => child?.kill('SIGKILL'), CLOSE_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

const KINDS: Partial<Record<RowKind, LineKey['kind']>> = { domain: 'domain', httpService: 'http', tcpService: 'tcp' };

/** Follows in the database which services and domains there are. */
export async function createKnownLogs(
  store: Pick<Store, 'domains' | 'httpServices' | 'tcpServices' | 'onChange'>,
): Promise<KnownLogs> {
  const ids: Record<LineKey['kind'], Set<number>> = { domain: new Set(), http: new Set(), tcp: new Set() };
  const listeners = new Set<(key: LineKey, isKnown: boolean) => void>();
  store.onChange((changes) => {
    for (const { kind, id, after } of changes) {
      const logKind = KINDS[kind];
      if (logKind === undefined || ids[logKind].has(id) === (after !== null)) continue;
      if (after === null) ids[logKind].delete(id);
      else ids[logKind].add(id);
      for (const listener of listeners) listener({ kind: logKind, id }, after !== null);
    }
  });
  for (const { id } of await store.domains.all()) ids.domain.add(id);
  for (const { id } of await store.httpServices.all()) ids.http.add(id);
  for (const { id } of await store.tcpServices.all()) ids.tcp.add(id);
  return {
    all: () =>
      Object.entries(ids).flatMap(([kind, all]) => [...all].map((id) => ({ kind: kind as LineKey['kind'], id }))),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
