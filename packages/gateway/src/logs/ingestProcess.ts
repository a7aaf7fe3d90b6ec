import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { freeBytes } from '../machine/freeBytes.ts';
import { importHistory, removeHistory } from './importHistory.ts';
import { createIngest, type Ingest } from './ingest.ts';
import { createLineWriter, type LineWriter, OwnerChanged } from './lineWriter.ts';
import { giveUpOldest, KEPT_LOG_BYTES } from './logFile.ts';
import { isDamage, openToWrite, setAside } from './schema.ts';

/** What the process is told by the gateway. */
export type ToIngest =
  | {
      is: 'begin';
      /** nginx's access log. */
      path: string;
      /** The directory of the database. */
      directory: string;
      database: string;
      historyBytes: number;
      rotateBytes: number;
      mostWaitingBytes: number;
      /** The names of all logs that there are. */
      names: string[];
      watched: string[];
    }
  | { is: 'known' | 'gone'; name: string }
  /** The logs that have readers. */
  | { is: 'watched'; names: string[] }
  /** Whether readers have much to read yet: it waits for them a little. */
  | { is: 'hold'; on: boolean }
  | { is: 'reopened'; ok: boolean }
  /** To be answered when everything is stored that nginx had written by then. */
  | { is: 'catchUp'; id: number }
  /** What is stored cannot be read. */
  | { is: 'damaged' }
  | { is: 'close' };

/** What it tells the gateway. */
export type FromIngest =
  | { is: 'ready' }
  /** The database was damaged; it has this name now. */
  | { is: 'setAside'; path: string }
  | { is: 'stored'; added: [name: string, bytes: number][] }
  | { is: 'reopen' }
  | { is: 'caughtUp'; id: number }
  | { is: 'unwritable'; reason: string }
  /** So many bytes of nginx's log were removed unread. */
  | { is: 'gaveUp'; bytes: number }
  | { is: 'written' };

const LOW_PRIORITY = 10;
const LOWEST_PRIORITY = 15;
const AUTOGROUP = '/proc/self/autogroup';
const POLL_MS = 500;
const WATCHED_POLL_MS = 100;
const HOLD_MS = 100;
/** nginx's log takes no more than this, or twice what may wait to be read. */
const MOST_LOG_BYTES = 1024 * 1024 * 1024;
/** Lines are stored while more than this is free: it is for what an administrator saves, to make room for one. */
const STORE_ROOM_BYTES = 16 * 1024 * 1024;
/** Where no more than this is free, nginx's log is given up but for `KEPT_LOG_BYTES`. */
const LOG_ROOM_BYTES = 8 * 1024 * 1024;
const GAVE_UP_AGAIN_MS = 60_000;

const say = (message: FromIngest): void => {
  // The gateway may have ended in this moment.
  if (process.connected) process.send?.(message, () => undefined);
};

const known = new Set<string>();
const gone = new Set<string>();
let watched = new Set<string>();
let isHolding = false;
let awake = (): void => undefined;
let isClosing = false;
let isDamaged = false;
let catchUps: { id: number; until: number }[] = [];
let ingest: Ingest | null = null;

process.on('message', (message: ToIngest) => {
  switch (message.is) {
    case 'begin':
      for (const name of message.names) known.add(name);
      watched = new Set(message.watched);
      void run(message);
      return;
    case 'known':
    case 'gone':
      if (message.is === 'known') known.add(message.name);
      else if (known.delete(message.name)) gone.add(message.name);
      ingest?.forgetKnown();
      return;
    case 'watched': {
      // What was stored before this was heard of was not told.
      const added = message.names.filter((name) => !watched.has(name));
      watched = new Set(message.names);
      say({ is: 'stored', added: added.map((name) => [name, 0]) });
      break;
    }
    case 'hold':
      isHolding = message.on;
      break;
    case 'reopened':
      ingest?.reopened(message.ok);
      break;
    case 'catchUp':
      catchUps.push({ id: message.id, until: Date.now() });
      break;
    case 'close':
      isClosing = true;
      break;
    case 'damaged':
      isDamaged = true;
  }
  awake();
});
// The gateway is gone, in whatever way: nothing is lost, for the next one goes on where the last transaction ended.
process.on('disconnect', () => {
  isClosing = true;
  awake();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

/**
 * Visitors come first. What is much is not urgent, and takes only the time that no other process wants; what is little is
 * told to readers at once, also on a busy machine.
 */
function createPriority(): (isMuch: boolean) => void {
  const set = (priority: number): void => {
    setPriority(priority);
    // Where the kernel shares time between sessions first, this one's counts. Not every kernel does.
    if (existsSync(AUTOGROUP)) writeFileSync(AUTOGROUP, String(priority));
    current = priority;
  };
  let current = 0;
  let canGoBack = true;
  const attempt = (priority: number): boolean => {
    try {
      if (current !== priority) set(priority);
      return true;
    } catch {
      return false;
    }
  };
  // Only a process with the right to may raise its priority again.
  attempt(LOW_PRIORITY + 1);
  canGoBack = attempt(LOW_PRIORITY);
  return (isMuch) => void attempt(isMuch && canGoBack ? LOWEST_PRIORITY : LOW_PRIORITY);
}

async function run(options: Extract<ToIngest, { is: 'begin' }>): Promise<void> {
  const follower = createFollower(options);
  follower.step();
  const setUrgency = createPriority();
  while (!isClosing) {
    // What was sent before nginx wrote a line has come by then: that there is a new service, for one.
    await turn();
    await turn();
    const more = follower.step();
    setUrgency(more);
    if (isHolding) await sleep(HOLD_MS);
    else if (!more) await sleep(watched.size > 0 || follower.isShort() ? WATCHED_POLL_MS : POLL_MS);
  }
  follower.close();
  if (process.connected) process.disconnect();
}

function createFollower(options: Extract<ToIngest, { is: 'begin' }>) {
  let database: Database | null = null;
  let writer: LineWriter | null = null;
  let isFailing = false;
  /** Whether nginx's log has next to no room. */
  let isShort = false;
  let gaveUp = 0;
  let sayAgainAt = 0;

  const mostLogBytes = Math.max(MOST_LOG_BYTES, 2 * options.mostWaitingBytes);
  /** nginx writes as fast as anyone asks: what it writes must neither fill the disk nor stay there. */
  const limitLog = (): void => {
    isShort = freeBytes(dirname(options.path)) <= LOG_ROOM_BYTES;
    gaveUp += giveUpOldest(options.path, isShort ? KEPT_LOG_BYTES : mostLogBytes);
    if (gaveUp === 0 || performance.now() < sayAgainAt) return;
    say({ is: 'gaveUp', bytes: gaveUp });
    gaveUp = 0;
    sayAgainAt = performance.now() + GAVE_UP_AGAIN_MS;
  };

  const open = (): LineWriter => {
    database = openToWrite(options.database, (empty) => importHistory(empty, options, known));
    removeHistory(options.directory);
    const opened = createLineWriter(database, options.historyBytes);
    opened.forgetOthers(known);
    if (ingest === null) {
      const isKnown = (name: string): boolean => known.has(name);
      ingest = createIngest(opened, { ...options, isKnown, reopen: () => say({ is: 'reopen' }) });
    } else ingest.rewind(opened);
    say({ is: 'ready' });
    return opened;
  };
  const close = (): void => {
    database?.close();
    database = null;
    writer = null;
  };
  const putAside = (): void => {
    close();
    say({ is: 'setAside', path: setAside(options.database) });
  };

  /** Stores what there is; whether there is more. */
  const step = (): boolean => {
    if (isDamaged) putAside();
    isDamaged = false;
    // Before anything that a full disk may keep from being done.
    limitLog();
    writer ??= open();
    for (const name of gone) writer.forget(name);
    gone.clear();
    if (freeBytes(options.directory) <= STORE_ROOM_BYTES) throw new Error('The disk is full.');
    const { added, more, storedTo } = (ingest as Ingest).round(Date.now());
    const news = [...added].filter(([name]) => watched.has(name));
    if (news.length > 0) say({ is: 'stored', added: news });
    answer(storedTo);
    if (!more && added.size === 0) writer.shrink();
    if (isFailing) say({ is: 'written' });
    isFailing = false;
    return more;
  };

  return {
    step() {
      try {
        return step();
      } catch (error) {
        // Another gateway was started.
        if (error instanceof OwnerChanged) process.disconnect();
        isDamaged = isDamage(error);
        // A full disk, no descriptor left: it goes on from what is stored when it can.
        if (!isDamaged && !isFailing) say({ is: 'unwritable', reason: String(error) });
        isFailing ||= !isDamaged;
        if (writer !== null && !isDamaged) ingest?.rewind(writer);
        answer(Number.POSITIVE_INFINITY);
        return isDamaged;
      }
    },
    isShort: () => isShort,
    close() {
      close();
      ingest?.close();
    },
  };
}

function answer(storedTo: number): void {
  for (const { id } of catchUps.filter(({ until }) => until <= storedTo)) say({ is: 'caughtUp', id });
  catchUps = catchUps.filter(({ until }) => until > storedTo);
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    awake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
