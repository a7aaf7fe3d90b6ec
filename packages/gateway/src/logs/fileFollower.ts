import { type FSWatcher, renameSync, type Stats, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { loadCheckpoint, saveCheckpoint } from './logCheckpoint.ts';
import type { LogNotices } from './logHistory.ts';
import { type LogPiece, type LogTail, movedName, openKnownTails, openNewTail } from './logTail.ts';
import { createReadBuffer } from './readBuffer.ts';

export type FollowOptions = {
  path: string;
  /** Where it is noted how far the lines were kept. */
  checkpointPath: string;
  /** From this size on the file is moved away, read to its end and removed. */
  rotateBytes: number;
  /** Has the writers open the file anew under its name; fulfilled when none of them holds another one. */
  reopen(): Promise<void>;
  /** Told from which file on, by number, lines may come again after a kill. */
  onOldest(serial: number): void;
  /** Whole lines of the file with that number; no other file ever has it. */
  onPiece(serial: number, piece: LogPiece): void;
  /** Whether everything that was handed out is kept now. */
  keep(): boolean;
  /** Fulfilled when more may be handed out; null: at once. */
  room(): Promise<void> | null;
  /** Whether somebody waits for lines. */
  isWatched(): boolean;
  notices: LogNotices;
};

export type FileFollower = {
  /** Fulfilled when everything that was written before the call has been handed out. */
  caughtUp(): Promise<void>;
  /** Looks at once what there is, because somebody waits for lines from now on. */
  look(): void;
  close(): Promise<void>;
};

/** It looks again after a while instead of being told of each write, of which there are hundreds a second. */
const WATCHED_POLL_MS = 100;
const POLL_MS = 500;
/** More than the longest line. Larger pieces would drive out of the processor's memory what nginx has in it. */
const READ_BYTES = 256 * 1024;
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
  let next: NodeJS.Timeout | undefined;
  /** While there is no file: one that is made and deleted again before the next look would be lost. */
  let watcher: FSWatcher | null = null;
  const buffer = createReadBuffer(READ_BYTES);

  const sayOldest = (serials: readonly number[]): void => options.onOldest(Math.min(highest + 1, ...serials));
  sayOldest(tails.map((tail) => tail.serial()));

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
    const named = statOf(path);
    for (const tail of tails) tail.lost ||= tail.inode !== named?.ino;
    if (named === null) {
      watcher ??= watchDirectory(dirname(path), pump);
    } else {
      watcher?.close();
      watcher = null;
      askedForMissing = false;
      if (!tails.some((tail) => !tail.lost)) {
        const tail = await openNewTail(path, nextSerial);
        if (tail !== null) tails.push(tail);
      }
    }
    const isMissing = named === null && !askedForMissing;
    if (isMissing || tails.some((tail) => tail.lost && !tail.released)) reopen();
  };

  /** @returns how many bytes of lines it handed out */
  const readAll = async (): Promise<number> => {
    let bytes = 0;
    for (const tail of tails) {
      const isLast = tail.released;
      for (const piece of tail.read(buffer, nextSerial)) {
        // Before anything else: what has been read counts as handed out.
        options.onPiece(tail.serial(), piece);
        bytes += piece.bytes.length;
        if (closed) return bytes;
        keep();
        await options.room();
        await breathe();
      }
      if (isLast) await drop(tail);
    }
    return bytes;
  };

  const drop = async (tail: LogTail): Promise<void> => {
    if (!options.keep()) return;
    tails = tails.filter((other) => other !== tail);
    await tail.finish();
    save();
  };

  const rotate = (): void => {
    const tail = tails.at(-1);
    if (tail === undefined || tail.lost || tail.size() < options.rotateBytes) return;
    const moved = movedName(path, tail.serial());
    renameSync(path, moved);
    tail.moved = moved;
    tail.lost = true;
    reopen();
  };

  const save = (): void => {
    filesChanged = false;
    const places = tails.map((tail) => tail.place());
    const text = JSON.stringify(places);
    if (text === saved) return;
    try {
      saveCheckpoint(checkpointPath, places);
      saved = text;
      sayOldest(places.map(({ serial }) => serial));
    } catch {
      // A full disk is told of by whoever keeps the lines. An old checkpoint only means to read more at the next start.
    }
  };

  /** Now and then, and at once when there is another file. */
  const keep = (): void => {
    if (!filesChanged && performance.now() - keptAt < KEEP_MS) return;
    keptAt = performance.now();
    if (options.keep()) save();
  };

  /** @returns when to look again */
  const pumpOnce = async (): Promise<number> => {
    await look();
    const bytes = await readAll();
    if (closed) return POLL_MS;
    keep();
    rotate();
    if (bytes === 0) buffer.release();
    if (!options.isWatched()) return POLL_MS;
    // Who writes that fast is not waited for.
    return bytes < READ_BYTES ? WATCHED_POLL_MS : 0;
  };

  const pump = (): void => {
    if (closed) return;
    clearTimeout(next);
    again = true;
    pumping ??= (async () => {
      let waitMs = POLL_MS;
      while (again && !closed) {
        again = false;
        try {
          waitMs = await pumpOnce();
          failing = false;
        } catch (error) {
          // No descriptor left, a full disk: the next poll tries again.
          if (!failing) notices.warn({ err: error }, 'the access log cannot be followed; it is tried again');
          failing = true;
        }
      }
      pumping = null;
      if (!closed) next = setTimeout(pump, waitMs).unref();
    })();
  };
  pump();

  return {
    async caughtUp() {
      pump();
      await pumping;
    },
    look: pump,
    async close() {
      closed = true;
      clearTimeout(next);
      await pumping;
      watcher?.close();
      if (options.keep()) save();
      for (const tail of tails) await tail.close();
      tails = [];
    },
  };
}

/** The directory, because there is no file. Where it cannot be watched, looking again alone serves. */
function watchDirectory(directory: string, onChange: () => void): FSWatcher | null {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

/** What a name leads to; null when that is nothing, or cannot be seen. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
