import type { Dirent } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createLineSplitter, type LineSplitter, type RawLine } from './lineSplitter.ts';
import type { ReadFile } from './logCheckpoint.ts';

const READ_BYTES = 256 * 1024;
const BEFORE_BYTES = 64;

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
  /** Lines up to where the file ends now, one piece after the other. */
  read(nextSerial: () => number): AsyncGenerator<RawLine[]>;
  /** How much of it has been read. */
  size(): number;
  /** How far it has been read, for the next start. */
  place(): Promise<ReadFile>;
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
  let splitter: LineSplitter = createLineSplitter(offset, false);
  let buffer: Buffer | null = null;
  const tail: LogTail = {
    serial: () => serial,
    inode,
    lost: false,
    released: false,
    moved: null,
    async *read(nextSerial) {
      const { size } = await handle.stat();
      if (size < splitter.offset()) {
        // Somebody cut it: what is written from now on are other lines at the same places.
        serial = nextSerial();
        splitter = createLineSplitter(0, false);
      }
      if (size > splitter.offset()) buffer ??= Buffer.allocUnsafe(READ_BYTES);
      // No further than it reached at first: somebody who writes without a pause must not keep the rest from its turn.
      while (buffer !== null && splitter.offset() < size) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, splitter.offset());
        if (bytesRead === 0) return;
        const lines = splitter.push(buffer.subarray(0, bytesRead));
        if (lines.length > 0) yield lines;
      }
    },
    size: () => splitter.offset(),
    async place() {
      const end = splitter.lineEnd();
      return { serial, inode, offset: end, before: await bytesBefore(handle, end) };
    },
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
    if ((await bytesBefore(handle, place.offset)) === place.before) return createLogTail(handle, ino, place);
  }
  if (movedSerial === null) return null;
  return createLogTail(handle, ino, { serial: movedSerial, offset: 0 });
}

async function bytesBefore(handle: FileHandle, offset: number): Promise<string> {
  const length = Math.min(BEFORE_BYTES, offset);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset - length);
  return buffer.toString('base64', 0, bytesRead);
}
