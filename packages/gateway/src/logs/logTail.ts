import { type Dirent, fstatSync, readSync } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LONGEST_RAW_LINE } from './keptLines.ts';
import type { ReadFile } from './logCheckpoint.ts';
import type { ReadBuffer } from './readBuffer.ts';

const LINE_BREAK = 0x0a;
const BEFORE_BYTES = 64;
/** Enough to hold the time of a line. */
const KNOWN_BYTES = 256;

/** Whole lines of a file, as they stand there, up to the offset `end`. Good until the next piece is read. */
export type LogPiece = { bytes: Buffer; end: number };

/** One of nginx's log files, while it is read. */
export type LogTail = {
  serial(): number;
  inode: number;
  /** It has no longer the name to which nginx opens its log. */
  lost: boolean;
  /** nginx has let go of it: behind its end nothing comes any more. */
  released: boolean;
  /** The name under which the gateway moved it away; null: it has none that is the gateway's. */
  moved: string | null;
  /**
   * Lines up to where the file ends now, one piece after the other. A line that is too long comes on its own or with
   * others, and on its own it may lack its end.
   */
  read(buffer: ReadBuffer, nextSerial: () => number): Generator<LogPiece>;
  /** How much of it has been read. */
  size(): number;
  /** How far it has been read, for the next start. */
  place(): ReadFile;
  close(): Promise<void>;
  /** Closes it and removes it if it was moved away. */
  finish(): Promise<void>;
};

export function createLogTail(
  handle: FileHandle,
  inode: number,
  { serial: firstSerial, offset }: Pick<ReadFile, 'serial' | 'offset'>,
): LogTail {
  let serial = firstSerial;
  /** Behind the last line that was handed out. */
  let lineEnd = offset;
  /** Where to go on; behind `lineEnd` only within a line that is too long, of which this is the beginning. */
  let at = offset;
  let head: Buffer | null = null;
  /** The farthest that was read. What stands before it and behind `at` is half a line, unless `unread`. */
  let seen = offset;
  let unread = true;
  /** The last bytes that were handed out, which stand in front of `lineEnd` unless somebody cut the file. */
  let known: Buffer = Buffer.alloc(0);
  const isCut = (size: number): boolean => size < seen || !readBefore(handle, lineEnd, known.length).equals(known);
  const tail: LogTail = {
    serial: () => serial,
    inode,
    lost: false,
    released: false,
    moved: null,
    *read(buffer, nextSerial) {
      const { size } = fstatSync(handle.fd);
      if (size === seen && !unread) return;
      unread = true;
      if (isCut(size)) {
        // What is written from now on are other lines at the same places.
        serial = nextSerial();
        lineEnd = at = seen = 0;
        head = null;
        known = Buffer.alloc(0);
      }
      // No further than it reached at first: somebody who writes without a pause must not keep the rest from its turn.
      while (at < size) {
        const chunk = buffer.read(handle.fd, at, size - at);
        if (chunk.length === 0) return;
        seen = Math.max(seen, at + chunk.length);
        const whole: number = (head === null ? chunk.lastIndexOf(LINE_BREAK) : chunk.indexOf(LINE_BREAK)) + 1;
        if (whole > 0) {
          at += whole;
          lineEnd = at;
          const bytes: Buffer = head ?? chunk.subarray(0, whole);
          known = head === null ? Buffer.from(bytes.subarray(-KNOWN_BYTES)) : Buffer.of(LINE_BREAK);
          head = null;
          yield { bytes, end: lineEnd };
        } else if (head !== null) {
          at += chunk.length;
        } else if (chunk.length > LONGEST_RAW_LINE) {
          head = Buffer.concat([chunk.subarray(0, LONGEST_RAW_LINE + 1), Buffer.of(LINE_BREAK)]);
          at += chunk.length;
        } else {
          break;
        }
      }
      unread = false;
    },
    size: () => seen,
    place: () => ({ serial, inode, offset: lineEnd, before: bytesBefore(handle, lineEnd) }),
    close: () => handle.close(),
    async finish() {
      await handle.close();
      if (tail.moved !== null) await rm(tail.moved, { force: true });
    },
  };
  return tail;
}

/** The name for a log file that was moved away to be read to its end. */
export const movedName = (path: string, serial: number): string => `${path}.reading-${serial}`;

function serialOf(logName: string, name: string): number | null {
  const digits = /\.reading-([1-9]\d{0,14})$/.exec(name)?.[1];
  return digits !== undefined && name === movedName(logName, Number(digits)) ? Number(digits) : null;
}

/**
 * Opens what is left to be read of the files of earlier runs, oldest first: each that the checkpoint knows, under
 * whatever name it has now, and each that was moved away. The log that nginx writes to is the last, if it is known.
 */
export async function openKnownTails(path: string, known: readonly ReadFile[]): Promise<LogTail[]> {
  const directory = dirname(path);
  const tails: LogTail[] = [];
  for (const { name } of await filesIn(directory)) {
    const file = join(directory, name);
    const movedSerial = serialOf(basename(path), name);
    const handle = await open(file, 'r').catch(() => null);
    if (handle === null) continue;
    const tail = await recognise(handle, known, movedSerial);
    if (tail === null) {
      await handle.close();
      continue;
    }
    tail.lost = file !== path;
    if (movedSerial !== null) tail.moved = file;
    tails.push(tail);
  }
  return tails.toSorted((a, b) => a.serial() - b.serial());
}

/** Opens the file at a path as a new one; null when there is none. */
export async function openNewTail(path: string, serial: () => number): Promise<LogTail | null> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return null;
  const { ino } = await handle.stat();
  return createLogTail(handle, ino, { serial: serial(), offset: 0 });
}

async function filesIn(directory: string): Promise<Dirent[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((): Dirent[] => []);
  return entries.filter((entry) => entry.isFile());
}

async function recognise(
  handle: FileHandle,
  known: readonly ReadFile[],
  movedSerial: number | null,
): Promise<LogTail | null> {
  const { ino, size } = await handle.stat();
  for (const place of known) {
    if (place.inode !== ino || place.offset > size) continue;
    if (bytesBefore(handle, place.offset) === place.before) return createLogTail(handle, ino, place);
  }
  if (movedSerial === null) return null;
  return createLogTail(handle, ino, { serial: movedSerial, offset: 0 });
}

const bytesBefore = (handle: FileHandle, offset: number): string =>
  readBefore(handle, offset, Math.min(BEFORE_BYTES, offset)).toString('base64');

/** So many bytes in front of an offset, or as many as are there. */
function readBefore(handle: FileHandle, end: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(handle.fd, bytes, 0, length, end - length));
}
