import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writevSync,
} from 'node:fs';
import { join } from 'node:path';
import { commitLine, type KeptEnds, lastCommit } from './logCommit.ts';
import { CHECK_BYTES, type LogCursor, logId } from './logId.ts';

const LINE_BREAK = 0x0a;
const LARGEST_SEGMENT_BYTES = 4 * 1024 * 1024;
const FEWEST_SEGMENTS = 4;
const NOTHING: Buffer = Buffer.alloc(0);

/** Whole lines of one of nginx's files. */
export type KeptPart = {
  bytes: Buffer;
  /** The number of that file. */
  serial: number;
  /** Where the line ends in that file that ends behind so many of the bytes. */
  endAt(length: number): number;
};

/**
 * The kept lines of one log: numbered files of whole lines. The newest is appended to; when all together would be too
 * large, the oldest is dropped as a whole, so the bound costs nothing per line. No file stays open. While what is there
 * cannot be read, each function but `append` throws, and `append` leaves everything.
 */
export type LogSegments = {
  /** The numbers of the oldest and of the newest file. */
  first(): number;
  /** Where the kept lines end. */
  end(): LogCursor;
  /** The id of that place. */
  endId(): string;
  /** Behind the last line of nginx's file with that number that is kept; null: none is. */
  keptEnd(serial: number): number | null;
  /**
   * Appends whole lines, and what says that they are there. Lines that are kept already are left out.
   * @param oldest nothing will come again from files with a lower number
   * @returns what is not on disk: nothing, unless `error` says why
   */
  append(parts: readonly KeptPart[], oldest: number): { left: readonly KeptPart[]; error: unknown };
  path(segment: number): string;
};

/**
 * The kept lines in a directory, which need not be there. They are opened when they are first used, and tried again
 * when that fails. What stands behind the last commit line, left by a gateway that was killed, is cut off: it will come
 * again.
 */
export function openLogSegments(directory: string, mostBytes: number): LogSegments {
  const segmentBytes = Math.min(LARGEST_SEGMENT_BYTES, Math.floor(mostBytes / FEWEST_SEGMENTS));
  const mostSegments = Math.floor(mostBytes / segmentBytes);
  const path = (segment: number): string => join(directory, `${segment}.log`);
  let first = 1;
  let last = 1;
  let ends: KeptEnds | null = null;
  let size = 0;
  let tail = NOTHING;
  let isOpen = false;

  const open = (): void => {
    if (isOpen) return;
    const found = listSegments(directory);
    first = found.at(0) ?? 1;
    last = found.at(-1) ?? 1;
    if (found.length > 0) ({ ends, size, tail } = openNewest(path(last)));
    // It was killed when it had just begun the newest file.
    for (let segment = last - 1; ends === null && segment >= first; segment -= 1) ends = endsIn(path(segment));
    isOpen = true;
  };
  /** What was taken before it could be told how far the lines are kept may be there already. */
  const unkept = (part: KeptPart): KeptPart[] => {
    const end = ends?.get(part.serial) ?? 0;
    let kept = 0;
    while (kept < part.bytes.length) {
      const next = part.bytes.indexOf(LINE_BREAK, kept) + 1;
      if (next === 0 || part.endAt(next) > end) break;
      kept = next;
    }
    if (kept === part.bytes.length) return [];
    return [kept === 0 ? part : behind(part, kept)];
  };

  const startSegment = (): void => {
    last += 1;
    size = 0;
    for (; last - first >= mostSegments; first += 1) rmSync(path(first), { force: true });
  };

  /** Writes to the newest file; on any failure it is as long as it was. */
  const write = (pieces: readonly Buffer[]): void => {
    const descriptor = openToAppend(directory, path(last));
    try {
      // Somebody may have cut or removed it.
      size = fstatSync(descriptor).size;
      const before = size === 0 ? [] : [tail];
      try {
        writeAll(descriptor, pieces);
      } catch (error) {
        ftruncateSync(descriptor, size);
        throw error;
      }
      tail = Buffer.concat([...before, ...pieces].map((piece) => piece.subarray(-CHECK_BYTES))).subarray(-CHECK_BYTES);
      for (const piece of pieces) size += piece.length;
    } finally {
      closeSync(descriptor);
    }
  };

  /** The part of what is to be written that goes into the newest file, and what is left. An empty file takes any line. */
  const take = (
    parts: readonly KeptPart[],
    oldest: number,
  ): { pieces: Buffer[]; after: KeptEnds; rest: KeptPart[] } => {
    const after = new Map([...(ends ?? [])].filter(([serial]) => serial >= oldest));
    let room = segmentBytes - size - longestCommit(after, parts).length;
    const pieces: Buffer[] = [];
    const rest = [...parts];
    for (let part = rest[0]; part !== undefined; part = rest[0]) {
      const isFirst = size === 0 && pieces.length === 0;
      const fits = fitting(part.bytes, room) || (isFirst ? part.bytes.indexOf(LINE_BREAK) + 1 : 0);
      if (fits === 0) break;
      pieces.push(part.bytes.subarray(0, fits));
      room -= fits;
      after.set(part.serial, part.endAt(fits));
      rest.shift();
      if (fits < part.bytes.length) rest.unshift(behind(part, fits));
    }
    return { pieces, after, rest };
  };

  return {
    first() {
      open();
      return first;
    },
    end() {
      open();
      return { segment: last, offset: size };
    },
    endId() {
      open();
      return logId({ segment: last, offset: size }, size === 0 ? NOTHING : tail);
    },
    keptEnd(serial) {
      open();
      return ends?.get(serial) ?? null;
    },
    append(parts, oldest) {
      let left: readonly KeptPart[] = parts;
      try {
        open();
        left = parts.flatMap(unkept);
        while (left.length > 0) {
          const { pieces, after, rest } = take(left, oldest);
          if (pieces.length === 0) {
            startSegment();
            continue;
          }
          write([...pieces, commitLine(after)]);
          ends = after;
          left = rest;
        }
      } catch (error) {
        return { left, error };
      }
      return { left, error: null };
    },
    path,
  };
}

/** Writes everything; a disk that is nearly full takes a part of it before it refuses. */
function writeAll(descriptor: number, pieces: readonly Buffer[]): void {
  for (let left = [...pieces]; left.length > 0;) {
    let taken = writevSync(descriptor, left);
    left = left.flatMap((piece) => {
      const gone = Math.min(taken, piece.length);
      taken -= gone;
      return gone === piece.length ? [] : [piece.subarray(gone)];
    });
  }
}

/** How many of the bytes fit, in whole lines. */
function fitting(bytes: Buffer, room: number): number {
  if (bytes.length <= room) return bytes.length;
  return room <= 0 ? 0 : bytes.lastIndexOf(LINE_BREAK, room - 1) + 1;
}

const behind = (part: KeptPart, length: number): KeptPart => ({
  ...part,
  bytes: part.bytes.subarray(length),
  endAt: (more) => part.endAt(length + more),
});

/** No commit line on the way to having written all parts is longer. */
function longestCommit(ends: KeptEnds, parts: readonly KeptPart[]): Buffer {
  return commitLine(
    new Map([...ends, ...parts.map(({ serial, bytes, endAt }) => [serial, endAt(bytes.length)] as const)]),
  );
}

function listSegments(directory: string): number[] {
  return entriesOf(directory)
    .flatMap((name) => (/^[1-9]\d{0,14}\.log$/.test(name) ? [Number.parseInt(name, 10)] : []))
    .toSorted((a, b) => a - b);
}

/** The names in a directory; none when it is not there. */
export function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

function openToAppend(directory: string, file: string): number {
  const open = (): number => openSync(file, 'a', 0o600);
  try {
    return open();
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return open();
  }
}

/** Cuts a file behind its last commit line; returns what that says, and the file's size and last bytes. */
function openNewest(file: string): { ends: KeptEnds | null; size: number; tail: Buffer } {
  const descriptor = openSync(file, constants.O_RDWR);
  try {
    const { ends, offset: size } = lastCommit(descriptor) ?? { ends: null, offset: 0 };
    if (fstatSync(descriptor).size > size) ftruncateSync(descriptor, size);
    const tail = Buffer.alloc(Math.min(size, CHECK_BYTES));
    readSync(descriptor, tail, 0, tail.length, size - tail.length);
    return { ends, size, tail };
  } finally {
    closeSync(descriptor);
  }
}

function endsIn(file: string): KeptEnds | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    return lastCommit(descriptor)?.ends ?? null;
  } finally {
    closeSync(descriptor);
  }
}
