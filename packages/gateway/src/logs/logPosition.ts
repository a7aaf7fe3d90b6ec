import { type FileHandle, open } from 'node:fs/promises';
import { readKeptLines } from './keptLines.ts';
import { COMMIT_MARK } from './logCommit.ts';
import { CHECK_BYTES, checkOf, LOG_BEGINNING, type LogCursor, logId, logPlace } from './logId.ts';
import { isMissing, type LogSegments } from './logSegments.ts';

/** Most bytes of kept lines with which a reader begins. What is made of them is shorter, and bounded on its own. */
const FIRST_BATCH_BYTES = 2 * 1024 * 1024;
const READ_BYTES = 256 * 1024;
const SCAN_BYTES = 64 * 1024;
const LINE_BREAK = 0x0a;

/** Readable lines, oldest first, the place behind them, and its id. */
export type KeptLines = { texts: string[]; lastId: string; next: LogCursor };

/** The place behind the line with an id; null when it is not kept. */
export async function findLine(segments: LogSegments, end: LogCursor, id: string): Promise<LogCursor | null> {
  if (id === LOG_BEGINNING) return segments.first() === 1 ? { segment: 1, offset: 0 } : null;
  const place = logPlace(id);
  if (place === null || place.segment < segments.first() || place.segment > end.segment) return null;
  const { segment, offset, check } = place;
  if (segment === end.segment && offset > end.offset) return null;
  return withFile(segments.path(segment), async (file) => {
    const before = Buffer.alloc(Math.min(offset, CHECK_BYTES));
    const { bytesRead } = await file.read(before, 0, before.length, offset - before.length);
    // Somebody may have put other files in the place of those that it was an id of.
    return bytesRead === before.length && checkOf(before) === check ? { segment, offset } : null;
  });
}

/** The place in front of the last `count` lines before `end`, or of as many of them as make one event. */
export async function findLast(segments: LogSegments, end: LogCursor, count: number): Promise<LogCursor> {
  let place = end;
  let missing = count;
  let room = FIRST_BATCH_BYTES;
  for (let segment = lastWith(end); segment >= segments.first() && missing > 0 && room > 0; segment -= 1) {
    const found = await withFile(segments.path(segment), async (file) => {
      const size = segment === end.segment ? end.offset : (await file.stat()).size;
      return { ...(await countBack(file, size, missing, room)), size };
    });
    if (found === null) break;
    if (found.lines > 0) place = { segment, offset: found.offset };
    missing -= found.lines;
    // What is left of the file does not fit: neither does anything before it.
    if (found.offset > 0) break;
    room -= found.size;
  }
  return place;
}

/**
 * The next lines from a place on and before `end`, some 256 KiB of one file; none at the end.
 * @returns null when the place is no longer kept
 */
export async function readOn(
  segments: LogSegments,
  { segment, offset }: LogCursor,
  end: LogCursor,
): Promise<KeptLines | null> {
  if (segment < segments.first() || segment > end.segment) return null;
  if (segment === end.segment && offset >= end.offset) {
    return offset > end.offset ? null : { texts: [], lastId: '', next: end };
  }
  return withFile(segments.path(segment), async (file) => {
    const size = segment === end.segment ? end.offset : (await file.stat()).size;
    if (offset > size) return null;
    if (offset === size) return { texts: [], lastId: '', next: { segment: segment + 1, offset: 0 } };
    // What stands in front of the lines is part of their id.
    const start = Math.max(0, offset - CHECK_BYTES);
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size - offset) + offset - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const bytes = buffer.subarray(0, bytesRead);
    const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_BREAK) + 1);
    const next = { segment, offset: start + whole.length };
    if (next.offset <= offset) return null;
    return { texts: readKeptLines(whole.subarray(offset - start)), lastId: logId(next, whole), next };
  });
}

/** The last file that holds something before a place; an empty log has none. */
const lastWith = ({ segment, offset }: LogCursor): number => (offset === 0 ? segment - 1 : segment);

/** Null when the file is not there: it was dropped meanwhile. */
async function withFile<T>(path: string, action: (file: FileHandle) => Promise<T | null>): Promise<T | null> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    return await action(file);
  } finally {
    await file.close();
  }
}

/** Goes back over at most `count` lines and `room` bytes: where it came to, and over how many lines. */
async function countBack(
  file: FileHandle,
  size: number,
  count: number,
  room: number,
): Promise<{ offset: number; lines: number }> {
  const buffer = Buffer.allocUnsafe(SCAN_BYTES);
  let lines = 0;
  let offset = size;
  /** The first byte behind the chunk. */
  let first: number | undefined;
  // The break at the very end closes the last line; each further one is in front of a line.
  for (let end = size - 1; end > 0;) {
    const start = Math.max(0, end - SCAN_BYTES);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    const chunk = buffer.subarray(0, bytesRead);
    for (let at = chunk.lastIndexOf(LINE_BREAK); at >= 0; at = at === 0 ? -1 : chunk.lastIndexOf(LINE_BREAK, at - 1)) {
      if (size - (start + at + 1) > room) return { offset, lines };
      const isCommit = (at + 1 < chunk.length ? chunk[at + 1] : first) === COMMIT_MARK;
      if (isCommit) continue;
      offset = start + at + 1;
      lines += 1;
      if (lines === count) return { offset, lines };
    }
    first = chunk[0];
    end = start;
  }
  return size > 0 && size <= room ? { offset: 0, lines: lines + 1 } : { offset, lines };
}
