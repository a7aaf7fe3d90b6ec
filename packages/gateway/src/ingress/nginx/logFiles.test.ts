import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { markLog } from './logFiles.ts';

it('reads a log from where it was marked, and one that took its place from the beginning, however long it is', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-log-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'error.log');
  writeFileSync(file, 'before\n');
  const mark = markLog(file);
  appendFileSync(file, 'behind\n');
  expect(mark.takeText()).toBe('behind\n');
  renameSync(file, `${file}.1`);
  expect(mark.newText()).toBe('');
  writeFileSync(file, 'first of the new one\nsecond\n');
  expect(mark.newText()).toBe('first of the new one\nsecond\n');
});
