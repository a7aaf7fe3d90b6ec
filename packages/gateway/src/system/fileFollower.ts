import { type FSWatcher, watch } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RawLine } from './lineSplitter.ts';
import { loadCheckpoint, saveCheckpoint } from './logCheckpoint.ts';
import type { LogNotices } from './logHistory.ts';
import { type LogTail, movedName, openKnownTails, openNewTail } from './logTail.ts';

export type FollowOptions = {
  path: string;
  /** Where it is noted how far the lines were kept. */
  checkpointPath: string;
  /** From this size on the file is moved away, read to its end and removed. */
  rotateBytes: number;
  /** Has the writers open the file anew under its name; fulfilled when none of them holds another one. */
  reopen(): Promise<void>;
  /** Told at first of the numbers of files from which lines may come again. */
  onFiles(serials: number[]): void;
  /** Whole lines of the file with that number; no other file ever has it. */
  onLines(serial: number, lines: RawLine[]): void;
  /** Whether everything that was handed out is kept now. */
  keep(): boolean;
  /** Fulfilled when more may be handed out; null: at once. */
  room(): Promise<void> | null;
  notices: LogNotices;
};

export type FileFollower = {
  /** Fulfilled when everything that was written before the call has been handed out. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
};

const POLL_MS = 500;
const KEEP_MS = 1000;
const REOPEN_AGAIN_MS = 2000;

/**
 * Follows a log by name, from where an earlier run stopped. It may be appended to, cut, moved, deleted and replaced: a
 * file that lost its name is read until no writer holds it any more. What was not kept when a run ended, in whatever
 * way, is handed out again by the next, with the same numbers.
 */
export async function followFile(options: FollowOptions): Promise<FileFollower> {
  const { path, checkpointPath, notices } = options;
  const known = loadCheckpoint(checkpointPath);
  let tails: LogTail[] = await openKnownTails(path, known ?? []);
  // A time is higher than every number that was given before, also when the checkpoint is lost.
  let highest = Math.max(
    known === null ? Math.floor(Date.now() / 1000) : 0,
    ...[...(known ?? []), ...tails.map((tail) => ({ serial: tail.serial() }))].map(({ serial }) => serial),
  );
  let filesChanged = false;
  const nextSerial = (): number => {
    highest += 1;
    filesChanged = true;
    return highest;
  };
  let saved = '';
  let keptAt = 0;
  let reopening: Promise<void> | null = null;
  let reopenNotBefore = 0;
  let askedForMissing = false;
  let failing = false;
  let closed = false;
  let again = false;
  let pumping: Promise<void> | null = null;

  options.onFiles([...tails.map((tail) => tail.serial()), highest + 1]);

  const reopen = (): void => {
    const now = performance.now();
    if (reopening !== null || now < reopenNotBefore) return;
    const lost = tails.filter((tail) => tail.lost);
    reopening = (async () => {
      try {
        await options.reopen();
        for (const tail of lost) tail.released = true;
        askedForMissing = true;
        reopenNotBefore = 0;
      } catch (error) {
        if (reopenNotBefore === 0) notices.warn({ err: error }, 'nginx did not open its log anew; it is told again');
        reopenNotBefore = performance.now() + REOPEN_AGAIN_MS;
      }
      reopening = null;
      pump();
    })();
  };

  /** Sees what became of the name. */
  const look = async (): Promise<void> => {
    const named = await stat(path).catch(() => null);
    for (const tail of tails) tail.lost ||= tail.inode !== named?.ino;
    if (named !== null) {
      askedForMissing = false;
      if (!tails.some((tail) => !tail.lost)) {
        const tail = await openNewTail(path, nextSerial);
        if (tail !== null) tails.push(tail);
      }
    }
    const isMissing = named === null && !askedForMissing;
    if (isMissing || tails.some((tail) => tail.lost && !tail.released)) reopen();
  };

  const readAll = async (): Promise<void> => {
    for (const tail of tails) {
      const isLast = tail.released;
      for await (const lines of tail.read(nextSerial)) {
        // Before anything else: what has been read counts as handed out.
        options.onLines(tail.serial(), lines);
        if (closed) return;
        await keep();
        await options.room();
      }
      if (isLast) await drop(tail);
    }
  };

  const drop = async (tail: LogTail): Promise<void> => {
    if (!options.keep()) return;
    tails = tails.filter((other) => other !== tail);
    await tail.finish();
    await save();
  };

  const rotate = async (): Promise<void> => {
    const tail = tails.at(-1);
    if (tail === undefined || tail.lost || tail.size() < options.rotateBytes) return;
    const moved = movedName(path, tail.serial());
    await rename(path, moved);
    tail.moved = moved;
    tail.lost = true;
    reopen();
  };

  const save = async (): Promise<void> => {
    filesChanged = false;
    const places = await Promise.all(tails.map((tail) => tail.place()));
    const text = JSON.stringify(places);
    if (text === saved) return;
    try {
      await saveCheckpoint(checkpointPath, places);
      saved = text;
    } catch {
      // A full disk is told of by whoever keeps the lines. An old checkpoint only means to read more at the next start.
    }
  };

  /** Now and then, and at once when there is another file. */
  const keep = async (): Promise<void> => {
    if (!filesChanged && performance.now() - keptAt < KEEP_MS) return;
    keptAt = performance.now();
    if (options.keep()) await save();
  };

  const pumpOnce = async (): Promise<void> => {
    await look();
    await readAll();
    if (closed) return;
    await keep();
    await rotate();
  };

  const pump = (): void => {
    if (closed) return;
    again = true;
    pumping ??= (async () => {
      while (again && !closed) {
        again = false;
        try {
          await pumpOnce();
          failing = false;
        } catch (error) {
          // No descriptor left, a full disk: the next poll tries again.
          if (!failing) notices.warn({ err: error }, 'the access log cannot be followed; it is tried again');
          failing = true;
        }
      }
      pumping = null;
    })();
  };

  const watcher = watchDirectory(dirname(path), pump);
  const poll = setInterval(pump, POLL_MS);
  poll.unref();
  pump();

  return {
    async caughtUp() {
      pump();
      await pumping;
    },
    async close() {
      closed = true;
      clearInterval(poll);
      watcher?.close();
      await pumping;
      if (options.keep()) await save();
      for (const tail of tails) await tail.close();
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
