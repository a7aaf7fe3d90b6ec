import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LineKey } from '../world.ts';
import { followFile } from './fileFollower.ts';
import { type LogNotices, openLogHistory } from './logHistory.ts';
import type { LogSource } from './logSource.ts';

/** nginx's access log as a log source. */
export type AccessLog = LogSource & {
  /** How many lines were not understood since it was opened. */
  skipped(): number;
  /** Fulfilled when everything that was written before the call can be read. */
  caughtUp(): Promise<void>;
};

export type AccessLogOptions = {
  /** nginx's access log. It need not be there yet. */
  path: string;
  /** The gateway's own directory for what is kept. */
  directory: string;
  /** Bytes kept for each service and each domain. */
  historyBytes: number;
  /** Whether a service or domain exists; lines of others are left out. */
  isKnown(key: LineKey): boolean;
  /** Has nginx open its log anew; fulfilled when no process of it writes to another file any more. */
  reopenLogs(): Promise<void>;
  notices: LogNotices;
  /** From this size on nginx's log is moved away and removed once it is read. */
  rotateBytes?: number;
};

const ROTATE_BYTES = 32 * 1024 * 1024;
/** Whoever begins to read waits no longer than this until what nginx has written by then is read. */
const FRESH_MS = 300;
const CHECKPOINT_FILE = 'checkpoint.json';

/** Opens nginx's access log: what was not kept yet is read in the background, then it is followed. */
export async function openAccessLog(options: AccessLogOptions): Promise<AccessLog> {
  const history = openLogHistory({
    directory: options.directory,
    mostBytes: options.historyBytes,
    isKnown: options.isKnown,
    notices: options.notices,
  });
  const follower = await followFile({
    path: options.path,
    checkpointPath: join(options.directory, CHECKPOINT_FILE),
    rotateBytes: options.rotateBytes ?? ROTATE_BYTES,
    reopen: options.reopenLogs,
    onOldest: history.expectRepeats,
    onPiece: history.add,
    keep: history.flush,
    room: history.room,
    isWatched: history.isWatched,
    notices: options.notices,
  });
  return {
    async open(key, from) {
      await Promise.race([follower.caughtUp(), delay(FRESH_MS, null, { ref: false })]);
      const reader = await history.open(key, from);
      return {
        resumed: reader.resumed,
        read(sink) {
          const stop = reader.read(sink);
          follower.look();
          return stop;
        },
      };
    },
    forget: history.forget,
    skipped: history.skipped,
    caughtUp: follower.caughtUp,
    close: follower.close,
  };
}
