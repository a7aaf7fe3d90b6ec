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
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const LINE_BREAK = 0x0a;
const LARGEST_SEGMENT_BYTES = 4 * 1024 * 1024;
const FEWEST_SEGMENTS = 4;
const READ_BYTES = 64 * 1024;

/** A place in the kept lines of one log, always behind a line break. */
export type LogCursor = { segment: number; offset: number };

/**
 * The kept lines of one log: numbered files of whole lines. The newest is appended to; when all together would be too
 * large, the oldest is dropped as a whole, so the bound costs nothing per line. No file stays open.
 */
export type LogSegments = {
  directory: string;
  /** The numbers of the oldest and of the newest file. */
  first(): number;
  /** Where the kept lines end. */
  end(): LogCursor;
  /**
   * Appends whole lines.
   * @returns how many bytes are on disk, always whole lines; fewer than given when `error` says why
   */
  append(lines: Buffer): { written: number; error: unknown };
  /** The lines of the newest file backwards, then those of the one before. */
  backwards(): Generator<string>;
  path(segment: number): string;
  remove(): void;
};

/**
 * Opens the kept lines in a directory, which need not be there. Half a line at the end, left by a gateway that was
 * killed, is cut off.
 */
export function openLogSegments(directory: string, mostBytes: number): LogSegments {
  const segmentBytes = Math.min(LARGEST_SEGMENT_BYTES, Math.floor(mostBytes / FEWEST_SEGMENTS));
  const mostSegments = Math.floor(mostBytes / segmentBytes);
  const path = (segment: number): string => join(directory, `${segment}.log`);
  const found = listSegments(directory);
  let first = found.at(0) ?? 1;
  let last = found.at(-1) ?? 1;
  let size = found.length === 0 ? 0 : cutHalfLine(path(last));

  const startSegment = (): void => {
    last += 1;
    size = 0;
    for (; last - first >= mostSegments; first += 1) rmSync(path(first), { force: true });
  };

  /** Writes to the newest file; on any failure it is as long as it was. */
  const write = (bytes: Buffer): void => {
    const descriptor = openToAppend(directory, path(last));
    try {
      // Somebody may have cut or removed it.
      size = fstatSync(descriptor).size;
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
      } catch (error) {
        ftruncateSync(descriptor, size);
        throw error;
      }
      size += bytes.length;
    } finally {
      closeSync(descriptor);
    }
  };

  /** How much of the bytes goes into the newest file: whole lines, at least one into an empty file. */
  const fitting = (bytes: Buffer): number => {
    const room = segmentBytes - size;
    if (bytes.length <= room) return bytes.length;
    const fits = room <= 0 ? 0 : bytes.lastIndexOf(LINE_BREAK, room - 1) + 1;
    return fits > 0 || size > 0 ? fits : bytes.indexOf(LINE_BREAK) + 1;
  };

  return {
    directory,
    first: () => first,
    end: () => ({ segment: last, offset: size }),
    append(lines) {
      let written = 0;
      try {
        while (written < lines.length) {
          const rest = lines.subarray(written);
          const fits = fitting(rest);
          if (fits === 0) {
            startSegment();
            continue;
          }
          write(rest.subarray(0, fits));
          written += fits;
        }
      } catch (error) {
        return { written, error };
      }
      return { written, error: null };
    },
    *backwards() {
      for (let segment = last; segment >= first; segment -= 1) yield* linesBackwards(path(segment));
    },
    path,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
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

/** Cuts a file behind its last line break; returns its size. */
function cutHalfLine(file: string): number {
  const descriptor = openSync(file, constants.O_RDWR);
  try {
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let end = size; end > 0;) {
      const start = Math.max(0, end - READ_BYTES);
      const chunk = buffer.subarray(0, readSync(descriptor, buffer, 0, end - start, start));
      const whole = start + chunk.lastIndexOf(LINE_BREAK) + 1;
      if (whole > start) {
        if (whole < size) ftruncateSync(descriptor, whole);
        return whole;
      }
      end = start;
    }
    if (size > 0) ftruncateSync(descriptor, 0);
    return 0;
  } finally {
    closeSync(descriptor);
  }
}

function* linesBackwards(file: string): Generator<string> {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (let end = fstatSync(descriptor).size; end > 0;) {
      const start = Math.max(0, end - READ_BYTES);
      const chunk = Buffer.alloc(end - start);
      readSync(descriptor, chunk, 0, chunk.length, start);
      const bytes = Buffer.concat([chunk, rest]);
      const firstBreak = start === 0 ? -1 : bytes.indexOf(LINE_BREAK);
      const whole = start === 0 || firstBreak >= 0 ? bytes.subarray(firstBreak + 1) : Buffer.alloc(0);
      rest = start === 0 ? Buffer.alloc(0) : bytes.subarray(0, bytes.length - whole.length);
      const lines = whole.toString('utf8').split('\n');
      for (const line of lines.toReversed()) if (line !== '') yield line;
      end = start;
    }
  } finally {
    closeSync(descriptor);
  }
}
