import { readFileSync } from 'node:fs';
import { putFile } from '../machine/atomicFile.ts';

/** How far one of nginx's log files has been read and kept. */
export type ReadFile = {
  /** The number of the file; a later one has a higher number. */
  serial: number;
  inode: number;
  /** Behind the last line that was kept. */
  offset: number;
  /** The last bytes in front of the offset, in base64: an inode may be used again for another file. */
  before: string;
};

/** Reads what was saved; null when nothing usable was, or when it cannot be read: lines may then come a second time. */
export function loadCheckpoint(path: string): ReadFile[] | null {
  try {
    const saved: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(saved) && saved.every(isReadFile) ? saved : null;
  } catch {
    return null;
  }
}

/** Saves it as a whole or not at all. */
export function saveCheckpoint(path: string, files: readonly ReadFile[]): void {
  putFile(path, `${JSON.stringify(files)}\n`);
}

function isReadFile(value: unknown): value is ReadFile {
  if (typeof value !== 'object' || value === null) return false;
  const { serial, inode, offset, before } = value as Partial<Record<keyof ReadFile, unknown>>;
  return [serial, inode, offset].every((number) => Number.isSafeInteger(number)) && typeof before === 'string';
}
