import { readAccessLine, readCutAccessLine } from './accessLine.ts';
import { followFile, type FollowedLines } from './fileFollower.ts';
import { createLogHistory } from './logHistory.ts';
import type { LogSource } from './logSource.ts';

/** nginx's access log as a log source. */
export type AccessLog = LogSource & {
  /** How many lines were not understood since it was opened. */
  skipped(): number;
};

const HISTORY_BYTES = 8 * 1024 * 1024;
const OFFSET_DIGITS = 15;

/** Opens nginx's access log; its last 8 MiB are read before this returns. The file need not be there yet. */
export async function openAccessLog(path: string): Promise<AccessLog> {
  const history = createLogHistory();
  let skipped = 0;

  const onLines = ({ file, lines }: FollowedLines): void => {
    const read = lines.flatMap(({ text, end, cut }) => {
      const line = cut ? readCutAccessLine(text) : readAccessLine(text);
      if (line === null) {
        skipped += 1;
        return [];
      }
      const id = `${file}-${String(end).padStart(OFFSET_DIGITS, '0')}`;
      return [{ keys: line.keys, line: { id, text: line.text } }];
    });
    history.add(read);
  };

  const follower = await followFile({ path, historyBytes: HISTORY_BYTES, onLines });
  return {
    recent: history.recent,
    subscribe: history.subscribe,
    skipped: () => skipped,
    close: () => {
      history.clear();
      void follower.close();
    },
  };
}
