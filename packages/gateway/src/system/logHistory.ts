import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LineKey, LineReader } from '../ports.ts';
import { LOG_BEGINNING, logId, type LogPlace, logPlace } from './logId.ts';
import { splitKept } from './logPosition.ts';
import { createLogReaders } from './logReader.ts';
import { entriesOf, type LogSegments, openLogSegments } from './logSegments.ts';

/** A readable line of nginx's log, and the names of the logs that it belongs to. */
export type PlacedLine = { names: readonly string[]; end: number; text: string };

/** Told of lines that are new, and of the id of the last. */
export type LineListener = (texts: string[], lastId: string) => void;

/** The log of one service or domain. */
export type LogEntry = {
  key: LineKey;
  segments: LogSegments;
  /** Whole lines that are not on disk yet. */
  pending: string[];
  lastId: string;
  listeners: Set<LineListener>;
};

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
  /** The files from which lines may come again that are kept already. */
  expectRepeats(serials: readonly number[]): void;
  /** Takes lines of one file in and tells those who read; `flush` writes them. */
  add(serial: number, lines: readonly PlacedLine[]): void;
  /** Writes what was taken in. False when some could not be written; it is kept for the next time. */
  flush(): boolean;
  /** Characters that wait to be written. */
  pendingSize(): number;
  /** Fulfilled when readers that keep pace have taken what they were given; null: they have. */
  room(): Promise<void> | null;
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
const MOST_PENDING = 16 * 1024 * 1024;

/** Opens the history; what is there of services and domains that are gone is removed. */
export function openLogHistory({ directory, mostBytes, isKnown, notices }: LogHistoryOptions): LogHistory {
  const entries = new Map<string, LogEntry & { kept: Map<number, number> }>();
  const dirty = new Set<LogEntry>();
  let repeats = new Set<number>();
  let pendingSize = 0;
  let failing = false;

  const entryOf = (name: string): (LogEntry & { kept: Map<number, number> }) | null => {
    const found = entries.get(name);
    if (found !== undefined) return found;
    const key = keyOf(name);
    if (key === null || !isKnown(key)) return null;
    const segments = openLogSegments(join(directory, name), mostBytes);
    const { lastId, kept } = readEnd(segments, repeats);
    const made = { key, segments, pending: [], lastId, listeners: new Set<LineListener>(), kept };
    entries.set(name, made);
    return made;
  };

  const failed = (error: unknown): void => {
    if (!failing) notices.warn({ err: error }, 'log lines cannot be written to disk; they are shown all the same');
    failing = true;
  };

  const write = (entry: LogEntry): void => {
    if (entry.pending.length === 0) return;
    const text = entry.pending.join('');
    const bytes = Buffer.from(text);
    const { written, error } = entry.segments.append(bytes);
    const rest = written === bytes.length ? '' : bytes.toString('utf8', written);
    pendingSize += rest.length - text.length;
    entry.pending = rest === '' ? [] : [rest];
    if (rest === '') dirty.delete(entry);
    else failed(error);
  };

  const giveUp = (): void => {
    notices.warn({ characters: pendingSize }, 'log lines that could not be written to disk were given up');
    for (const entry of dirty) entry.pending = [];
    dirty.clear();
    pendingSize = 0;
  };

  const readers = createLogReaders({ write, failed });
  openDirectory(directory, isKnown);

  return {
    expectRepeats: (serials) => {
      repeats = new Set(serials);
    },
    add(serial, lines) {
      const fresh = new Map<LogEntry, string[]>();
      for (const { names, end, text } of lines) {
        const id = logId({ serial, end });
        const stored = `${id} ${text}\n`;
        for (const name of names) {
          const entry = safely(() => entryOf(name), failed);
          if (entry === null || end <= (entry.kept.get(serial) ?? -1)) continue;
          entry.pending.push(stored);
          entry.lastId = id;
          dirty.add(entry);
          pendingSize += stored.length;
          if (entry.listeners.size === 0) continue;
          const texts = fresh.get(entry);
          if (texts === undefined) fresh.set(entry, [text]);
          else texts.push(text);
        }
      }
      for (const [entry, texts] of fresh) for (const listener of entry.listeners) listener(texts, entry.lastId);
    },
    flush() {
      for (const entry of dirty) write(entry);
      if (dirty.size > 0 && pendingSize > MOST_PENDING) giveUp();
      if (dirty.size > 0) return false;
      if (failing) notices.info({}, 'log lines are written to disk again');
      failing = false;
      return true;
    },
    pendingSize: () => pendingSize,
    room: readers.room,
    async open(key, from) {
      const entry = entryOf(logName(key));
      if (entry === null) return EMPTY;
      return readers.open(entry, from);
    },
    forget(key) {
      const name = logName(key);
      const entry = entries.get(name);
      if (entry !== undefined) {
        pendingSize -= entry.pending.reduce((sum, text) => sum + text.length, 0);
        entry.pending = [];
        dirty.delete(entry);
        entries.delete(name);
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

/** The last line that is kept, and how far each of the files that may be read again has been kept. */
function readEnd(segments: LogSegments, repeats: ReadonlySet<number>): { lastId: string; kept: Map<number, number> } {
  const kept = new Map<number, number>();
  const oldest = Math.min(...repeats);
  let lastId: string | null = null;
  for (const line of segments.backwards()) {
    const id = splitKept(`${line}\n`).lastId;
    const place: LogPlace | null = logPlace(id);
    if (place === null) continue;
    lastId ??= id;
    if (place.serial < oldest) break;
    if (!kept.has(place.serial)) kept.set(place.serial, place.end);
    if ([...repeats].every((serial) => kept.has(serial))) break;
  }
  return { lastId: lastId ?? LOG_BEGINNING, kept };
}
