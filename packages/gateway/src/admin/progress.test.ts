import { expect, it } from 'vitest';
import { createProgress } from './progress.ts';

/** What is written while 1000 MB are done, one a tenth of a second. */
function writtenTo(isTTY: boolean): string[] {
  const written: string[] = [];
  let time = 0;
  const progress = createProgress({ isTTY, write: (text: string) => written.push(text) }, () => time);
  progress.step('Copying ...');
  for (let mb = 1; mb <= 1000; mb += 1) {
    time += 100;
    progress.at(mb * 1e6, 1e9);
  }
  progress.step('Done.');
  return written;
}

it('is one line that changes on a terminal, and a line a minute elsewhere', () => {
  const terminal = writtenTo(true);
  expect(terminal.filter((text) => text.includes('\n'))).toEqual(['Copying ...\n', 'Done.\n']);
  expect(terminal.length).toBeGreaterThan(400);
  expect(terminal).toContain('\r\u001B[K  500 of 1000 MB');
  expect(writtenTo(false)).toEqual(['Copying ...\n', '  600 of 1000 MB\n', 'Done.\n']);
});
