import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LineKey, LineReader } from '../world.ts';
import { readKeptLines } from './keptLines.ts';
import { createLineSorter, type LineGroup } from './lineSorter.ts';
import type { LineListener, LogEntry } from './logEntry.ts';
import { LOG_BEGINNING, UNKEPT_ID } from './logId.ts';
import { createLogReaders } from './logReader.ts';
import { createLineRuns, type LineRuns } from './lineRuns.ts';
import { entriesOf, type KeptPart, openLogSegments } from './logSegments.ts';
import type { LogPiece } from './logTail.ts';

type SortedEntry = LogEntry & { runs: LineRuns };

/** Where the history of a log is kept, below the directory of all. */
export const logName = ({ kind, id }: LineKey): string => `${kind}/${id}`;

/** Whoever is told of what goes wrong and what is right again; as pino does it. */
export type LogNotices = Record<'info' | 'warn', (facts: object, text: string) => void>;

export type LogHistoryOptions = {
  directory: string;
  /** Bytes on disk for each service and each domain. */
  mostBytes: number;
  /** Whether a service or domain exists; nothing is kept for others. */
  isKnown(key: LineKey): boolean;
  notices: LogNotices;
};

/** The history of all services and domains, on disk, and those who read it. */
export type LogHistory = {
  /** Told from which of nginx's files on, by number, lines may come again after a kill. */
  expectRepeats(oldest: number): void;
  /** Takes lines of one file in: writes them, and tells those who read. What is kept already is left out. */
  add(serial: number, piece: LogPiece): void;
  /** Writes what could not be written yet. False when some still cannot be; it is kept for the next time. */
  flush(): boolean;
  /** Fulfilled when readers that keep pace have taken what they were given; null: they have. */
  room(): Promise<void> | null;
  /** Whether anybody reads. */
  isWatched(): boolean;
  /** How many lines were not understood. */
  skipped(): number;
  open(key: LineKey, from: { count: number; afterId: string | null }): Promise<LineReader>;
  forget(key: LineKey): void;
};

/** The log of something that is gone. */
const EMPTY: LineReader = {
  resumed: false,
  read(sink) {
    sink.push([], LOG_BEGINNING);
    return () => undefined;
  },
};

/** Beyond this, lines that cannot be written are given up. */
const MOST_PENDING_BYTES = 16 * 1024 * 1024;
/** While they cannot be written, it is tried again whenever so many more have come, or when somebody asks for it. */
const TRY_AGAIN_BYTES = 1024 * 1024;

/** Opens the history; what is there of services and domains that are gone is removed. */
export function openLogHistory({ directory, mostBytes, isKnown, notices }: LogHistoryOptions): LogHistory {
  const entries = new Map<string, SortedEntry>();
  const sorter = createLineSorter<SortedEntry[]>();
  const dirty = new Set<LogEntry>();
  let oldestRepeat = 0;
  let pendingBytes = 0;
  let tryAgainFrom = TRY_AGAIN_BYTES;
  let failing = false;

  const failed = (error: unknown): void => {
    if (!failing) notices.warn({ err: error }, 'log lines cannot be written to disk; they are shown all the same');
    failing = true;
  };

  const entryOf = (name: string): SortedEntry | null => {
    const found = entries.get(name);
    if (found !== undefined) return found;
    const key = keyOf(name);
    if (key === null || !isKnown(key)) return null;
    const segments = openLogSegments(join(directory, name), mostBytes);
    const made = { key, segments, pending: [], listeners: new Set<LineListener>(), runs: createLineRuns() };
    entries.set(name, made);
    return made;
  };

  const entriesFor = (group: LineGroup<SortedEntry[]>): SortedEntry[] => {
    if (group.owner !== null) return group.owner;
    const found = group.names.map(entryOf).filter((entry) => entry !== null);
    // One that is not known may be made later.
    if (found.length === group.names.length) group.owner = found;
    return found;
  };

  const setPending = (entry: LogEntry, parts: KeptPart[]): void => {
    pendingBytes += bytesIn(parts) - bytesIn(entry.pending);
    entry.pending = parts;
    if (parts.length > 0) dirty.add(entry);
    else dirty.delete(entry);
  };

  /** Writes what waits, and what has come, as far as that is possible. */
  const append = (entry: LogEntry, fresh: readonly KeptPart[]): void => {
    const { left, error } = entry.segments.append([...entry.pending, ...fresh], oldestRepeat);
    if (left.length > 0) failed(error);
    setPending(
      entry,
      left.map((part) => (entry.pending.includes(part) ? part : own(part))),
    );
  };
  const write = (entry: LogEntry): void => {
    if (entry.pending.length > 0) append(entry, []);
  };

  const flush = (): boolean => {
    for (const entry of dirty) write(entry);
    const isTooMuch = dirty.size > 0 && pendingBytes > MOST_PENDING_BYTES;
    if (isTooMuch) giveUp();
    tryAgainFrom = pendingBytes + TRY_AGAIN_BYTES;
    // Nothing waits then, but nothing was written either.
    if (isTooMuch) return true;
    if (dirty.size > 0) return false;
    if (failing) notices.info({}, 'log lines are written to disk again');
    failing = false;
    return true;
  };

  const giveUp = (): void => {
    notices.warn({ bytes: pendingBytes }, 'log lines that could not be written to disk were given up');
    for (const entry of dirty) setPending(entry, []);
  };

  const readers = createLogReaders({ write, failed });
  try {
    openDirectory(directory, isKnown);
  } catch (error) {
    // Services are worth more than their logs: the gateway starts all the same.
    notices.warn({ err: error }, 'the directory of the kept log lines cannot be prepared');
  }

  return {
    expectRepeats: (oldest) => {
      oldestRepeat = oldest;
    },
    add(serial, piece) {
      const touched: SortedEntry[] = [];
      sorter.sort(piece.bytes, (group, from, to) => {
        for (const entry of entriesFor(group)) {
          if (entry.runs.isEmpty()) touched.push(entry);
          entry.runs.add(from, to);
        }
      });
      const news: (() => void)[] = [];
      for (const entry of touched) {
        const keptEnd = safely(() => entry.segments.keptEnd(serial), failed);
        const part = entry.runs.take(serial, piece, keptEnd);
        if (part === null) continue;
        const texts = entry.listeners.size > 0 ? readKeptLines(part.bytes) : [];
        if (entry.pending.length === 0) append(entry, [part]);
        else setPending(entry, [...entry.pending, own(part)]);
        if (texts.length === 0) continue;
        const lastId = entry.pending.length === 0 ? entry.segments.endId() : UNKEPT_ID;
        news.push(() => {
          for (const listener of entry.listeners) listener(texts, lastId);
        });
      }
      for (const tell of news) tell();
      if (pendingBytes >= tryAgainFrom) flush();
    },
    flush,
    room: readers.room,
    isWatched: readers.isWatched,
    skipped: sorter.skipped,
    async open(key, from) {
      const entry = entryOf(logName(key));
      if (entry === null) return EMPTY;
      return readers.open(entry, from);
    },
    forget(key) {
      const name = logName(key);
      const entry = entries.get(name);
      if (entry !== undefined) {
        setPending(entry, []);
        entries.delete(name);
        sorter.forget();
      }
      safely(() => rmSync(join(directory, name), { recursive: true, force: true }), failed);
    },
  };
}

function safely<T>(action: () => T, failed: (error: unknown) => void): T | null {
  try {
    return action();
  } catch (error) {
    failed(error);
    return null;
  }
}

const KINDS = ['domain', 'http', 'tcp'] as const;

function keyOf(name: string): LineKey | null {
  const [, kind, id] = /^(\w+)\/([1-9]\d{0,14})$/.exec(name) ?? [];
  const known = KINDS.find((one) => one === kind);
  return known === undefined ? null : { kind: known, id: Number(id) };
}

/** Only the gateway's own account may enter. */
function openDirectory(directory: string, isKnown: (key: LineKey) => boolean): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  for (const kind of KINDS) {
    for (const id of entriesOf(join(directory, kind))) {
      const key = keyOf(`${kind}/${id}`);
      if (key === null || !isKnown(key)) rmSync(join(directory, kind, id), { recursive: true, force: true });
    }
  }
}

const bytesIn = (parts: readonly KeptPart[]): number => parts.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** A part of its own: what was read stands in a buffer that is used again. */
const own = ({ bytes, serial, endAt }: KeptPart): KeptPart => ({ bytes: Buffer.from(bytes), serial, endAt });
