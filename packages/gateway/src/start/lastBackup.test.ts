import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { backupName, noteBackup, readLastBackup } from './lastBackup.ts';

const directory = () => {
  const made = mkdtempSync(join(tmpdir(), 'sallyport-backup-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};
const AT = new Date('2026-11-20T02:30:00.000Z');
const daysLater = (days: number) => new Date(AT.getTime() + days * 86_400_000);

it.each([
  ['a file of any name is old after a week', '/mnt/disk/gateway.backup', 7],
  ['one of many, as the timer makes them, after three days', `/var/backups/sallyport/${backupName(AT)}`, 3],
  ['what went to standard output after a week', null, 7],
])('%s', (_, file, days) => {
  const data = directory();
  noteBackup(data, AT, file);
  const last = { at: AT.toISOString(), file };
  expect(readLastBackup(data, daysLater(days))).toEqual({ ...last, isOld: false });
  expect(readLastBackup(data, daysLater(days + 0.01))).toEqual({ ...last, isOld: true });
});

it('keeps the whole path of a file, whatever its name is', () => {
  const data = directory();
  noteBackup(data, AT, 'two\nlines\n');
  expect(readLastBackup(data, AT)?.file).toBe(join(process.cwd(), 'two\nlines\n'));
});

it.each([undefined, '', 'soon\n/mnt/gateway.backup\n'])('knows of none where the record is %j', (record) => {
  const data = directory();
  if (record !== undefined) writeFileSync(join(data, 'last-backup'), record);
  expect(readLastBackup(data, AT)).toBeNull();
});

it('reads a record that has no file yet', () => {
  const data = directory();
  writeFileSync(join(data, 'last-backup'), `${AT.toISOString()}\n`);
  expect(readLastBackup(data, AT)).toEqual({ at: AT.toISOString(), file: null, isOld: false });
});
