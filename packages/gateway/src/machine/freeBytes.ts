import { statfsSync } from 'node:fs';

/** The bytes that are free on the disk of a directory, but for what the file system keeps for root. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
