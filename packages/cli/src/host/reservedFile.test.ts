import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { reserveFile } from './reservedFile.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-reserved-'));
  file = join(directory, 'config.json');
  return () => rmSync(directory, { recursive: true });
});

it('leaves nothing next to the file, whether it was written or given back', () => {
  reserveFile(file, 64).release();
  expect(readdirSync(directory)).toEqual([]);
  const room = reserveFile(file, 64);
  room.fill('new');
  room.replace();
  expect(readdirSync(directory)).toEqual(['config.json']);
  expect(readFileSync(file, 'utf8')).toBe('new');
});

it.each([
  ['before it is filled', '', 0],
  // It may hold a token that cannot be had a second time.
  ['but keeps what was filled', "room.fill('new');", 1],
])('leaves no empty room when the run ends at once, %s', (_, work, left) => {
  const module = JSON.stringify(join(import.meta.dirname, 'reservedFile.ts'));
  const script = `const { reserveFile } = await import(${module}); const room = reserveFile(${JSON.stringify(file)}, 64); ${work} process.exit(130);`;
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', script]).status).toBe(130);
  expect(readdirSync(directory)).toHaveLength(left);
});

it('takes away the room of a run that was killed, and nothing else', () => {
  const old = new Date(Date.now() - 3_600_000);
  const put = (name: string, content: string | Buffer, at = old) => {
    writeFileSync(join(directory, name), content);
    utimesSync(join(directory, name), at, at);
  };
  put('config.json.0123456789ab', Buffer.alloc(64));
  put('config.json.0123456789ac', 'a token that cannot be had again');
  put('config.json.0123456789ad', Buffer.alloc(64), new Date());
  put('other.0123456789ab', Buffer.alloc(64));
  reserveFile(file, 64).release();
  expect(readdirSync(directory).toSorted()).toEqual([
    'config.json.0123456789ac',
    'config.json.0123456789ad',
    'other.0123456789ab',
  ]);
});
