import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { setAside } from './schema.ts';

it('puts a damaged database aside with its journal, in the place of an earlier one', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-aside-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const write = (end: string, text: string) => writeFileSync(join(directory, `lines.db${end}`), text);
  const put = () => {
    setAside(join(directory, 'lines.db'));
    return readdirSync(directory).map((name) => `${name}: ${readFileSync(join(directory, name), 'utf8')}`);
  };
  for (const end of ['', '-wal', '-shm']) write(end, 'first');
  expect(put()).toEqual(['lines.db.damaged: first', 'lines.db.damaged-shm: first', 'lines.db.damaged-wal: first']);
  write('', 'second');
  expect(put()).toEqual(['lines.db.damaged: second']);
});
