// Apart from the rest of `restore`, so that a start loads neither tar nor age.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where a backup is unpacked, next to the data directory whose place it takes. */
export const unpackedOf = (directory: string): string => `${directory}.restoring`;

/** Says that all of it was unpacked and checked. */
export const COMPLETE_FILE = 'complete';

/** Ends a restore that was killed between its last two steps. A start does it as well. */
export function finishRestore(directory: string): void {
  const unpacked = unpackedOf(directory);
  if (existsSync(directory) || !existsSync(join(unpacked, COMPLETE_FILE))) return;
  renameSync(unpacked, directory);
  rmSync(join(directory, COMPLETE_FILE));
}
