import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync, statSync, truncateSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ReadFile } from './lineWriter.ts';

const LINE_BREAK = 0x0a;
const BEFORE_BYTES = 256;

/** Whole lines of a file and the offset at which they begin, one character for each byte (latin1). */
type Piece = { text: string; at: number };

/** More than the longest line that is stored. */
const PIECE_BYTES = 1024 * 1024;
const buffer = Buffer.alloc(PIECE_BYTES);

/** One of nginx's log files, while it is read. */
export type LogFile = NonNullable<ReturnType<typeof openLogFile>>;

/** Opens a log file of which nothing has been read; null when there is none. */
export function openLogFile(path: string, serial: number) {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return null;
  }
  /** The last bytes in front of an offset, in base64: so many, or else enough to hold the time of a line. */
  const before = (offset: number, length = BEFORE_BYTES): string => {
    const bytes = Buffer.alloc(Math.min(length, offset));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, offset - bytes.length)).toString('base64');
  };
  /** What stands in front of `at`, unless the file was cut. */
  let known = '';
  const file = {
    serial,
    inode: fstatSync(descriptor).ino,
    /** To where it has been read, always after a line break. */
    at: 0,
    /** To where it was read when lines were stored the last time: the lines in front of it may be stored already. */
    seen: 0,
    /** It no longer has the name to which nginx opens its log. */
    lost: false,
    /** nginx has let go of it: nothing is added to it any more. */
    released: false,
    /** The name under which the gateway moved it away; null: it has none that is the gateway's. */
    moved: null as string | null,
    /** Reads on, some megabytes at a time; null when there is no whole line more. */
    read(): Piece | null {
      const length = readSync(descriptor, buffer, 0, PIECE_BYTES, file.at);
      const end = buffer.subarray(0, length).lastIndexOf(LINE_BREAK) + 1;
      // So many bytes without a line break are no line of nginx.
      const whole = end === 0 && length === PIECE_BYTES ? length : end;
      if (whole === 0) return null;
      const piece = { text: buffer.toString('latin1', 0, whole), at: file.at };
      file.at += whole;
      known = before(file.at);
      return piece;
    },
    /** Goes to an offset after a line break. */
    go(offset: number): void {
      file.at = offset;
      known = before(offset);
    },
    /** How many bytes there are to read. */
    unread: (): number => Math.max(0, fstatSync(descriptor).size - file.at),
    /** Whether it was cut, or what it held was replaced. */
    isCut: (): boolean => fstatSync(descriptor).size < file.at || (known !== '' && before(file.at) !== known),
    before,
    close: (): void => closeSync(descriptor),
  };
  return file;
}

/** The name for a log file that was moved away to be read to its end. */
export const movedName = (path: string, serial: number): string => `${path}.reading-${serial}`;

/**
 * Opens what is left to be read of the files of earlier runs, oldest first: each that is known, under whatever name it has
 * now, and each that was moved away. The log that nginx writes to is the last, if it is known.
 */
export function openKnownFiles(path: string, known: readonly ReadFile[]): LogFile[] {
  const directory = dirname(path);
  const files: LogFile[] = [];
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const place = join(directory, entry.name);
    const movedSerial = serialOf(basename(path), entry.name);
    const file = openLogFile(place, movedSerial ?? 0);
    if (file === null) continue;
    const found = known.find(
      ({ inode, position, before }) =>
        inode === file.inode &&
        position <= file.unread() &&
        file.before(position, Buffer.from(before, 'base64').length) === before,
    );
    if (found === undefined && movedSerial === null) {
      file.close();
      continue;
    }
    if (found !== undefined) {
      file.serial = found.serial;
      file.seen = Math.min(found.seen, file.unread());
      file.go(found.position);
    }
    file.lost = place !== path;
    file.moved = movedSerial === null ? null : place;
    files.push(file);
  }
  return files.toSorted((a, b) => a.serial - b.serial);
}

/** Closes a file of which everything is stored, and removes it if the gateway moved it away. */
export function finish(file: LogFile): void {
  file.close();
  if (file.moved !== null) rmSync(file.moved, { force: true });
}

/** On a full disk nginx's log is given up but for this. */
export const KEPT_LOG_BYTES = 256 * 1024;

/**
 * Empties the files of nginx's log unread, the oldest first, until they hold no more than so many bytes. nginx adds its
 * next line at the beginning of an empty file, and the reader of the file notices.
 * @param path of nginx's log
 * @returns how many bytes were given up
 */
export function giveUpOldest(path: string, mostBytes: number): number {
  const moved = readdirSync(dirname(path))
    .flatMap((name) => serialOf(basename(path), name) ?? [])
    .toSorted((a, b) => a - b);
  const files = [...moved.map((serial) => movedName(path, serial)), path].map((file) => ({
    file,
    bytes: statSync(file, { throwIfNoEntry: false })?.size ?? 0,
  }));
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let left = all;
  for (const { file, bytes } of files) {
    if (left <= mostBytes) break;
    if (bytes > 0) truncateSync(file);
    left -= bytes;
  }
  return all - left;
}

function serialOf(logName: string, name: string): number | null {
  const digits = /\.reading-([1-9]\d{0,14})$/.exec(name)?.[1];
  return digits !== undefined && name === movedName(logName, Number(digits)) ? Number(digits) : null;
}
