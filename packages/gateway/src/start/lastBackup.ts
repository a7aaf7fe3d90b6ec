import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { LastBackup } from '@sallyport/sdk/contract';

/** When a backup was made last, in a line, and where it was written, in another. */
const RECORD_FILE = 'last-backup';
const DAY_MS = 24 * 60 * 60 * 1000;
/** One that is made each night, and has failed more than once. */
const OLD_NIGHTLY_DAYS = 3;
const OLD_DAYS = 7;
const NAME = /^sallyport-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup$/;

/** What a backup is called in a directory, as the nightly timer makes them: by the time, so that the last name is the newest. */
export const backupName = (time: Date): string =>
  `sallyport-${time.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}.backup`;
export const isBackupName = (name: string): boolean => NAME.test(name);

/** @param file where it is; null: it went to standard output */
export function noteBackup(dataDirectory: string, at: Date, file: string | null): void {
  const lines = [at.toISOString(), ...(file === null ? [] : [resolve(file)])];
  writeFileSync(join(dataDirectory, RECORD_FILE), `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** The backup that was made last of a data directory, and whether it is older than it should be; null: none is known of. */
export function readLastBackup(dataDirectory: string, now: Date): LastBackup | null {
  let text: string;
  try {
    text = readFileSync(join(dataDirectory, RECORD_FILE), 'utf8');
  } catch {
    return null;
  }
  const [, line = '', file = ''] = /^(.*)\n([^]*?)\n?$/.exec(text) ?? [];
  const at = new Date(line);
  if (Number.isNaN(at.getTime())) return null;
  const most = isBackupName(basename(file)) ? OLD_NIGHTLY_DAYS : OLD_DAYS;
  return {
    at: at.toISOString(),
    file: file === '' ? null : file,
    isOld: now.getTime() - at.getTime() > most * DAY_MS,
  };
}
