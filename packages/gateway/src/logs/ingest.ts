import { renameSync, statSync } from 'node:fs';
import { finish, type LogFile, movedName, openKnownFiles, openLogFile } from './logFile.ts';
import type { LineWriter, Progress, ReadFile, Skipped } from './lineWriter.ts';
import { NOTHING_HELD } from './lineWriter.ts';
import { createLineParser, type RawLine } from './accessLine.ts';

export type IngestOptions = {
  /** nginx's access log. It need not be there yet. */
  path: string;
  /** From this size on it is moved away, read to its end and removed. */
  rotateBytes: number;
  /** When more is to be read than this, the oldest lines are skipped. */
  mostWaitingBytes: number;
  /** Whether there is a log of that name; nothing is stored for others. */
  isKnown(name: string): boolean;
  /** Asks for nginx to open its log again; `reopened` answers. */
  reopen(): void;
};

type Pending = { line: RawLine; file: LogFile; at: number };

const ROUND_BYTES = 2 * 1024 * 1024;
/**
 * nginx's workers keep lines for 200 ms before they write them, each for itself. So long a line waits for those of the
 * others that are older.
 */
const HOLD_MS = 300;
/** Lines from the future mean that the clock was set back: then none waits. */
const FUTURE_MS = 1000;
/** No more than this has to be read again after a restart. */
const MOST_HELD_BYTES = 4 * 1024 * 1024;
/** While lines are skipped, so much of each log is not: who has few does not pay for those who have too many. */
const KEPT_BYTES = 64 * 1024;
const REOPEN_AGAIN_MS = 2000;

/** Takes lines from nginx's files into the database. It begins where the lines end that are stored. */
export function createIngest(firstWriter: LineWriter, options: IngestOptions) {
  const { path } = options;
  const parser = createLineParser(options.isKnown);
  let writer = firstWriter;
  let stored: Progress = writer.progress();
  const files = openKnownFiles(path, stored.files);
  let pending: Pending[] = [];
  /** While lines are skipped: those of each log, how many bytes of it are not, and how many were read. */
  let skipping: { skipped: Map<string, Skipped>; kept: Map<string, number>; bytes: number } | null = null;
  let lastTime = 0;
  /** The files that nginx is asked to let go of; null: it is not asked. */
  let asked: LogFile[] | null = null;
  let askAgainAt = 0;
  let askedForMissing = false;

  const nextSerial = (): number => 1 + Math.max(0, ...[...files, ...stored.files].map(({ serial }) => serial));

  /** Sees what became of the name. */
  const look = (): void => {
    const inode = inodeOf(path);
    for (const file of files) file.lost ||= file.inode !== inode;
    if (inode !== null) {
      askedForMissing = false;
      if (files.every((file) => file.lost)) {
        const file = openLogFile(path, nextSerial());
        if (file !== null) files.push(file);
      }
    }
    const isWanted = files.some((file) => file.lost && !file.released) || (inode === null && !askedForMissing);
    if (!isWanted || asked !== null || performance.now() < askAgainAt) return;
    asked = files.filter((file) => file.lost);
    options.reopen();
  };

  /** Whether a line was stored before the last restart. */
  const isStored = ({ line: { time }, file, at }: Pending): boolean => at < file.seen && time <= stored.heldFrom;

  /** The logs that a line is skipped in. That of a domain may be full of another service's lines. */
  const skipIn = ({ text, time, names }: RawLine, { skipped, kept }: NonNullable<typeof skipping>): Set<string> => {
    const full = new Set(names.filter((name) => (kept.get(name) ?? 0) > KEPT_BYTES));
    for (const name of names) {
      if (full.has(name)) skipped.set(name, { lines: (skipped.get(name)?.lines ?? 0) + 1, time });
      else kept.set(name, (kept.get(name) ?? 0) + text.length);
    }
    return full;
  };

  const take = (one: Pending): void => {
    const { line } = one;
    // A line that does not tell its time stays where it is.
    if (line.time === 0) line.time = lastTime;
    lastTime = line.time;
    if (isStored(one)) return;
    if (skipping !== null) {
      const full = skipIn(line, skipping);
      line.names = line.names.filter((name) => !full.has(name));
    }
    if (line.names.length > 0) pending.push(one);
  };

  /** Reads on, in the oldest file first; whether there is more to read. */
  const readOn = (): { ended: LogFile[]; bytes: number; isBehind: boolean } => {
    const ended: LogFile[] = [];
    let bytes = 0;
    for (const file of files) {
      // What is stored already is told by its time, so it is passed over as a whole.
      while (bytes < ROUND_BYTES || file.at < file.seen) {
        const piece = file.read();
        if (piece === null) {
          ended.push(file);
          break;
        }
        bytes += piece.text.length;
        parser.parse(piece.text, (line, at) => take({ line, file, at: piece.at + at }));
      }
    }
    return { ended, bytes, isBehind: ended.length < files.length };
  };

  type Split = { ready: Pending[]; held: Pending[]; progress: Progress };
  const splitNothing = (): Split => ({
    ready: pending,
    held: [],
    progress: { files: files.map((file) => readFile(file, file.at)), heldFrom: NOTHING_HELD },
  });

  /** Which of the lines that were read can be stored, and which wait for older ones. */
  const split = (now: number, isBehind: boolean): Split => {
    const newest = pending.reduce((most, { line }) => Math.max(most, line.time), 0);
    if (newest > now + FUTURE_MS) return splitNothing();
    // Never back: what was stored once must not count as held.
    const heldBefore = stored.heldFrom === NOTHING_HELD ? 0 : stored.heldFrom;
    const heldFrom = Math.max(heldBefore, (isBehind ? Math.min(newest, now) : now) - HOLD_MS);
    const held = pending.filter(({ line }) => line.time > heldFrom);
    const read = files.map((file) => {
      const first = held.find((one) => one.file === file);
      return readFile(file, first?.at ?? file.at);
    });
    if (held.length === 0 || read.some(({ position, seen }) => seen - position > MOST_HELD_BYTES))
      return splitNothing();
    const ready = pending.filter(({ line }) => line.time <= heldFrom);
    return { ready, held, progress: { files: read, heldFrom } };
  };

  const rotate = (): void => {
    const file = files.at(-1);
    if (file === undefined || file.lost || file.at < options.rotateBytes) return;
    const moved = movedName(path, file.serial);
    renameSync(path, moved);
    file.moved = moved;
    file.lost = true;
  };

  return {
    /**
     * Reads what there is, some megabytes at most, and stores what is complete.
     * @param now milliseconds since 1970
     * @returns how many bytes were added to which log, whether there is more to read, and up to which time of their lines
     *   everything is stored that nginx had written
     */
    round(now: number): { added: ReadonlyMap<string, number>; more: boolean; storedTo: number } {
      look();
      let mustStore = false;
      for (const file of files) {
        if (!file.isCut()) continue;
        // What is written from now on are other lines at the same places.
        file.serial = nextSerial();
        file.seen = 0;
        file.go(0);
        mustStore = true;
      }
      const released = new Set(files.filter((file) => file.released));
      const waiting = files.reduce((sum, file) => sum + file.unread(), 0);
      if (waiting > options.mostWaitingBytes) skipping ??= { skipped: new Map(), kept: new Map(), bytes: 0 };
      const { ended, bytes, isBehind } = readOn();
      if (skipping !== null) {
        skipping.bytes += bytes;
        // A file that was read has to be moved away now and then, or it would grow as long as lines are skipped.
        if (waiting - bytes > options.mostWaitingBytes / 2 && skipping.bytes < options.rotateBytes)
          return { added: NOTHING, more: true, storedTo: 0 };
      }

      const { ready, held, progress } = mustStore || skipping !== null ? splitNothing() : split(now, isBehind);
      const done = ended.filter((file) => released.has(file) && held.every((one) => one.file !== file));
      const hasOtherFiles = serialsOf(progress) !== serialsOf(stored);
      let added: ReadonlyMap<string, number> = NOTHING;
      if (ready.length > 0 || skipping !== null || done.length > 0 || hasOtherFiles) {
        const lines = ready.map(({ line }) => line);
        if (!isSorted(lines)) lines.sort((a, b) => a.time - b.time);
        added = writer.store(lines, skipping?.skipped ?? new Map<string, Skipped>(), progress, done.length > 0);
        stored = progress;
        for (const file of files) file.seen = file.at;
        skipping = null;
        pending = held;
      }
      for (const file of done) {
        finish(file);
        files.splice(files.indexOf(file), 1);
      }
      rotate();
      return { added, more: isBehind, storedTo: isBehind ? 0 : held.length > 0 ? progress.heldFrom : now };
    },
    /** Told that nginx holds none of the files any more that had lost their name when it was asked to open its log again. */
    reopened(ok: boolean): void {
      if (ok) for (const file of asked ?? []) file.released = true;
      askedForMissing ||= ok;
      askAgainAt = ok ? 0 : performance.now() + REOPEN_AGAIN_MS;
      asked = null;
    },
    /** Told when `isKnown` may answer something else: also of what was read and is not stored yet. */
    forgetKnown(): void {
      parser.forget();
      for (const { line } of pending) line.names = line.names.filter(options.isKnown);
      for (const name of skipping?.skipped.keys() ?? []) if (!options.isKnown(name)) skipping?.skipped.delete(name);
    },
    /** Goes back to what is stored, after a failure. */
    rewind(next: LineWriter): void {
      writer = next;
      stored = writer.progress();
      pending = [];
      skipping = null;
      for (const file of files) {
        const found = stored.files.find(({ serial }) => serial === file.serial);
        file.seen = found?.seen ?? 0;
        file.go(found?.position ?? 0);
      }
    },
    close(): void {
      for (const file of files) file.close();
    },
  };
}

export type Ingest = ReturnType<typeof createIngest>;

const NOTHING: ReadonlyMap<string, number> = new Map();
const serialsOf = ({ files }: Progress): string => files.map(({ serial }) => serial).join();

const readFile = (file: LogFile, position: number): ReadFile => ({
  serial: file.serial,
  inode: file.inode,
  position,
  seen: file.at,
  before: file.before(position),
});

function isSorted(lines: readonly RawLine[]): boolean {
  let last = 0;
  for (const { time } of lines) {
    if (time < last) return false;
    last = time;
  }
  return true;
}

/** The file that a name leads to; null when it leads to none, or it cannot be seen. */
function inodeOf(path: string): number | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
  } catch {
    return null;
  }
}
