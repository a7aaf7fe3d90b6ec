import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createLineSplitter, type LineSplitter, type RawLine } from './lineSplitter.ts';

/** Lines of one file; `file` tells it from another one under the same name. */
export type FollowedLines = { file: string; lines: RawLine[] };

export type FileFollower = { close(): Promise<void> };

type Tail = { handle: FileHandle; inode: number; splitter: LineSplitter; quietSince: number };

const POLL_MS = 500;
const READ_BYTES = 256 * 1024;
// Writers that still have the old file open get this long after its last line before it is let go.
const OLD_FILE_QUIET_MS = 5000;

/**
 * Follows a file by name. It may be appended to, cut, deleted and replaced: what is written to a file that lost its
 * name is read to its end, too. Returns when everything from the last `history` bytes on was handed out.
 */
export async function followFile(options: {
  path: string;
  historyBytes: number;
  onLines(followed: FollowedLines): void;
}): Promise<FileFollower> {
  const { path, historyBytes, onLines } = options;
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let tails: Tail[] = [];
  let closed = false;
  let again = false;
  let pumping: Promise<void> | null = null;

  const openTail = async (history: number): Promise<void> => {
    const handle = await open(path, 'r').catch(() => null);
    if (handle === null) return;
    const { ino, size } = await handle.stat();
    if (tails.some(({ inode }) => inode === ino)) return handle.close();
    const from = Math.max(0, size - history);
    // One byte earlier, so that a line that begins just there is not taken for the rest of one.
    const splitter = from === 0 ? createLineSplitter(0, false) : createLineSplitter(from - 1, true);
    tails.push({ handle, inode: ino, splitter, quietSince: performance.now() });
  };

  const readTail = async (tail: Tail): Promise<void> => {
    const { size } = await tail.handle.stat();
    if (size < tail.splitter.offset()) tail.splitter = createLineSplitter(0, false);
    for (;;) {
      const { bytesRead } = await tail.handle.read(buffer, 0, READ_BYTES, tail.splitter.offset());
      if (bytesRead === 0 || closed) return;
      tail.quietSince = performance.now();
      const lines = tail.splitter.push(buffer.subarray(0, bytesRead));
      if (lines.length > 0) onLines({ file: String(tail.inode), lines });
    }
  };

  const pumpOnce = async (): Promise<void> => {
    const named = await stat(path).catch(() => null);
    if (named !== null && tails.at(-1)?.inode !== named.ino) await openTail(Number.POSITIVE_INFINITY);
    for (const tail of tails) await readTail(tail);
    const isOver = (tail: Tail): boolean =>
      tail !== tails.at(-1) && performance.now() - tail.quietSince > OLD_FILE_QUIET_MS;
    for (const tail of tails.filter(isOver)) {
      tails = tails.filter((other) => other !== tail);
      await tail.handle.close();
    }
  };

  const pump = (): void => {
    if (closed) return;
    again = true;
    pumping ??= (async () => {
      while (again && !closed) {
        again = false;
        // A passing failure (no descriptor left, an unreadable disk) is tried again by the next poll.
        await pumpOnce().catch(() => undefined);
      }
      pumping = null;
    })();
  };

  await openTail(historyBytes);
  for (const tail of tails) await readTail(tail);
  const watcher = watchDirectory(dirname(path), pump);
  const poll = setInterval(pump, POLL_MS);
  poll.unref();

  return {
    close: async () => {
      closed = true;
      clearInterval(poll);
      watcher?.close();
      await pumping;
      for (const { handle } of tails) await handle.close();
      tails = [];
    },
  };
}

/** The directory, because a watch on a file ends with it. Where it cannot be watched, the poll alone serves. */
function watchDirectory(directory: string, onChange: () => void): FSWatcher | null {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
