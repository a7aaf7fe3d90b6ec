/** What a log is kept for. */
export type LogKey = { kind: 'domain' | 'http' | 'tcp'; id: number };

/** One readable line. `id` is stable across restarts: the log file's inode and the offset of the line's end. */
export type LogLine = { id: string; text: string };

/** The lines of services and domains, as they come. */
export type LogSource = {
  /**
   * The last `count` lines, oldest first; instead all that are kept behind `afterId`, when that line is still known.
   */
  recent(key: LogKey, count: number, afterId?: string): LogLine[];
  /** Calls back with new lines, several at a time. */
  subscribe(key: LogKey, listener: (lines: LogLine[]) => void): () => void;
  close(): void;
};

/** The most lines kept for one service or domain: what a log screen shows. */
export const KEPT_LINES = 1000;
