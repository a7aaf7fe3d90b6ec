import { join } from 'node:path';
import type { LineKey } from '../ports.ts';
import { readAccessLine, readCutAccessLine, readMendedAccessLine } from './accessLine.ts';
import { followFile } from './fileFollower.ts';
import type { RawLine } from './lineSplitter.ts';
import { type LogNotices, openLogHistory, type PlacedLine } from './logHistory.ts';
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
/** Lines are written to disk in pieces of about this size, or when the follower asks for it. */
const WRITE_SIZE = 1024 * 1024;
const CHECKPOINT_FILE = 'checkpoint.json';

/** Opens nginx's access log: what was not kept yet is read in the background, then it is followed. */
export async function openAccessLog(options: AccessLogOptions): Promise<AccessLog> {
  const history = openLogHistory({
    directory: options.directory,
    mostBytes: options.historyBytes,
    isKnown: options.isKnown,
    notices: options.notices,
  });
  let skipped = 0;
  let writeFrom = WRITE_SIZE;

  const onLines = (serial: number, lines: readonly RawLine[]): void => {
    const placed: PlacedLine[] = [];
    for (const { text, end, cut } of lines) {
      const line = cut ? readCutAccessLine(text) : (readAccessLine(text) ?? readMendedAccessLine(text));
      if (line === null) skipped += 1;
      else placed.push({ names: line.names, end, text: line.text });
    }
    history.add(serial, placed);
    if (history.pendingSize() < writeFrom) return;
    history.flush();
    // While the disk refuses, the next attempt waits until as much again has come.
    writeFrom = history.pendingSize() + WRITE_SIZE;
  };

  const follower = await followFile({
    path: options.path,
    checkpointPath: join(options.directory, CHECKPOINT_FILE),
    rotateBytes: options.rotateBytes ?? ROTATE_BYTES,
    reopen: options.reopenLogs,
    onFiles: history.expectRepeats,
    onLines,
    keep: history.flush,
    room: history.room,
    notices: options.notices,
  });
  return {
    open: history.open,
    forget: history.forget,
    skipped: () => skipped,
    caughtUp: follower.caughtUp,
    close: follower.close,
  };
}
