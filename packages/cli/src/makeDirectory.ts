import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, and what is missing above it, unless it is there. One at a time: below /proc, which says that the parent is missing
 * though it is not, Node's own recursion would try for ever.
 *
 * @throws what the file system says
 */
export function makeDirectory(path: string, mode: number): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else was faster.
    if (!existsSync(path)) throw error;
  }
}
