import { type FileHandle, open } from 'node:fs/promises';
import { LOG_BEGINNING, logPlace } from './logId.ts';
import { isMissing, type LogCursor, type LogSegments } from './logSegments.ts';

/** Most bytes with which a reader begins: they become one event, and clients refuse one of over 4 Mi characters. */
const FIRST_BATCH_BYTES = 2 * 1024 * 1024;
const READ_BYTES = 256 * 1024;
const SCAN_BYTES = 64 * 1024;
const LINE_BREAK = 0x0a;

/** Lines as they were kept, oldest first, and the place behind them. */
export type KeptLines = { texts: string[]; lastId: string; next: LogCursor };

/** The place behind the line with an id; null when it is not kept. Looks from `end` back, where it most likely is. */
export async function findLine(segments: LogSegments, end: LogCursor, id: string): Promise<LogCursor | null> {
  if (id === LOG_BEGINNING) return segments.first() === 1 ? { segment: 1, offset: 0 } : null;
  if (logPlace(id) === null) return null;
  const needle = Buffer.from(`\n${id} `);
  for (let segment = lastWith(end); segment >= segments.first(); segment -= 1) {
    const offset = await withFile(segments.path(segment), async (file) => {
      const size = segment === end.segment ? end.offset : (await file.stat()).size;
      return findInFile(file, size, needle);
    });
    if (offset !== null) return { segment, offset };
  }
  return null;
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
    const bytes = Buffer.allocUnsafe(Math.min(READ_BYTES, size - offset));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    const whole = bytes.subarray(0, bytesRead).lastIndexOf(LINE_BREAK) + 1;
    if (whole === 0) return null;
    return { ...splitKept(bytes.toString('utf8', 0, whole)), next: { segment, offset: offset + whole } };
  });
}

/** Takes kept lines apart: each is its id, a space and its text. */
export function splitKept(kept: string): { texts: string[]; lastId: string } {
  const texts: string[] = [];
  let lastId = '';
  let from = 0;
  for (let to = kept.indexOf('\n'); to !== -1; to = kept.indexOf('\n', from)) {
    const space = kept.indexOf(' ', from);
    // Only somebody else's hand can have written a line without an id.
    if (space !== -1 && space < to) {
      texts.push(kept.slice(space + 1, to));
      lastId = kept.slice(from, space);
    }
    from = to + 1;
  }
  return { texts, lastId };
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

/** The offset behind the line that begins with the needle's text. The needle begins with the break before it. */
async function findInFile(file: FileHandle, size: number, needle: Buffer): Promise<number | null> {
  const buffer = Buffer.allocUnsafe(SCAN_BYTES + needle.length);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - SCAN_BYTES);
    const { bytesRead } = await file.read(buffer, 0, Math.min(size - start, buffer.length), start);
    const chunk = buffer.subarray(0, bytesRead);
    const at = chunk.lastIndexOf(needle);
    const isFirst = at < 0 && start === 0 && chunk.indexOf(needle.subarray(1)) === 0;
    if (at >= 0 || isFirst) return behindLine(file, size, start + at + 1);
    end = start;
  }
  return null;
}

async function behindLine(file: FileHandle, size: number, lineStart: number): Promise<number | null> {
  const buffer = Buffer.allocUnsafe(SCAN_BYTES);
  for (let at = lineStart; at < size; at += buffer.length) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
    const lineBreak = buffer.subarray(0, bytesRead).indexOf(LINE_BREAK);
    if (lineBreak >= 0) return at + lineBreak + 1;
  }
  return null;
}

/** Goes back over at most `count` lines and `room` bytes: where it came to, and over how many lines. */
async function countBack(
  file: FileHandle,
  size: number,
  count: number,
  room: number,
): Promise<{ offset: number; lines: number }> {
  const buffer = Buffer.allocUnsafe(SCAN_BYTES);
  // The break at the very end closes the last line; each further one is in front of a line.
  let lines = 0;
  let offset = size;
  for (let end = size - 1; end > 0;) {
    const start = Math.max(0, end - SCAN_BYTES);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    const chunk = buffer.subarray(0, bytesRead);
    for (let at = chunk.lastIndexOf(LINE_BREAK); at >= 0; at = at === 0 ? -1 : chunk.lastIndexOf(LINE_BREAK, at - 1)) {
      if (size - (start + at + 1) > room) return { offset, lines };
      offset = start + at + 1;
      lines += 1;
      if (lines === count) return { offset, lines };
    }
    end = start;
  }
  return size > 0 && size <= room ? { offset: 0, lines: lines + 1 } : { offset, lines };
}
