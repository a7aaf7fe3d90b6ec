import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program is: in the directories of the path, else in these; null: nowhere. */
export function findProgram(name: string, moreDirectories: readonly string[]): string | null {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...moreDirectories];
  for (const directory of directories.filter((entry) => entry.startsWith('/'))) {
    const file = join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this directory.
    }
  }
  return null;
}
