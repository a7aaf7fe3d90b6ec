import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';

const ITS_OWNER_ALONE = 0o700;

/**
 * Makes a directory that its owner alone may look into, and what is missing above it, unless it is there. One at a time: below /proc, which says that the parent is missing
 * though it is not, Node's own recursion would try for ever.
 *
 * @returns what takes away again those that were made, as far as nothing has come into them
 * @throws what the file system says; nothing is left then
 */
export function makeDirectory(path: string): () => void {
  if (existsSync(path)) return () => undefined;
  const parent = dirname(path);
  const unmakeParent = parent === path ? () => undefined : makeDirectory(parent);
  try {
    mkdirSync(path, { mode: ITS_OWNER_ALONE });
  } catch (error) {
    // Somebody else was faster.
    if (existsSync(path)) return () => undefined;
    unmakeParent();
    throw error;
  }
  return () => {
    try {
      rmdirSync(path);
    } catch {
      // It is in use by now, and so is what stands above it.
      return;
    }
    unmakeParent();
  };
}

/** Does work in a directory that is made where there is none; when the work fails, none is left that was not there. */
export function inDirectory<T>(path: string, work: () => T): T {
  const unmake = makeDirectory(path);
  try {
    return work();
  } catch (error) {
    unmake();
    throw error;
  }
}
