import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccessLog, openAccessLog } from './accessLog.ts';
import type { LogKey } from './logSource.ts';

const KEY: LogKey = { kind: 'http', id: 5 };

let directory: string;
let file: string;
let log: AccessLog | null;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-log-'));
  file = join(directory, 'access.log');
  log = null;
});
afterEach(() => {
  log?.close();
  rmSync(directory, { recursive: true, force: true });
});

const entry = (path: string): string => `${JSON.stringify({ d: '2', s: '5', k: 'http', r: path })}\n`;
const paths = (opened: AccessLog, key = KEY): string[] =>
  opened.recent(key, 5000).map(({ text }) => /"(.*?)"/.exec(text)?.[1] ?? '');
const readPaths = (): string[] => (log === null ? [] : paths(log));
const SOON = { timeout: 3000 };

describe('openAccessLog', () => {
  it('has the lines that were written before, of services and of domains, oldest first', async () => {
    writeFileSync(file, entry('/a') + entry('/b') + entry('/c'));
    log = await openAccessLog(file);
    expect(paths(log)).toEqual(['/a', '/b', '/c']);
    expect(paths(log, { kind: 'domain', id: 2 })).toEqual(['/a', '/b', '/c']);
    expect(paths(log, { kind: 'tcp', id: 5 })).toEqual([]);
    expect(log.recent(KEY, 1)).toHaveLength(1);
    expect(log.recent(KEY, 0)).toEqual([]);
  });

  it('gives what came after a line, also after a restart; and all that it has after an unknown one', async () => {
    writeFileSync(file, entry('/a') + entry('/b'));
    log = await openAccessLog(file);
    const [first] = log.recent(KEY, 10);
    log.close();
    appendFileSync(file, entry('/c'));
    log = await openAccessLog(file);
    const after = log.recent(KEY, 10, first?.id).map(({ id }) => id);
    expect(after).toHaveLength(2);
    expect(after).toEqual(after.toSorted());
    expect(log.recent(KEY, 10, 'unknown')).toHaveLength(3);
  });

  it('tells those who wait, until they leave', async () => {
    log = await openAccessLog(file);
    const heard: string[] = [];
    const leave = log.subscribe(KEY, (lines) => heard.push(...lines.map(({ text }) => text)));
    writeFileSync(file, entry('/a'));
    await expect.poll(() => heard.length, { timeout: 3000 }).toBe(1);
    leave();
    appendFileSync(file, entry('/b'));
    await expect.poll(readPaths, SOON).toEqual(['/a', '/b']);
    expect(heard).toHaveLength(1);
  });

  it('waits for the end of a line that is written in pieces, within a character too', async () => {
    log = await openAccessLog(file);
    const bytes = Buffer.from(entry('/grüße'));
    const middle = bytes.indexOf(0xc3) + 1;
    writeFileSync(file, Buffer.concat([Buffer.from(entry('/a')), bytes.subarray(0, middle)]));
    await expect.poll(readPaths, SOON).toEqual(['/a']);
    appendFileSync(file, bytes.subarray(middle));
    await expect.poll(readPaths, SOON).toEqual(['/a', '/grüße']);
  });

  it('keeps the last thousand of each and skips what it cannot read', async () => {
    const many = Array.from({ length: 2500 }, (_, index) => entry(`/${index}`)).join('');
    writeFileSync(file, `broken\n${many}{"t":\n`);
    log = await openAccessLog(file);
    expect(paths(log)).toHaveLength(1000);
    expect(paths(log).at(-1)).toBe('/2499');
    expect(log.skipped()).toBe(2);
  });

  it('reads no more than the last 8 MiB at first, from a whole line on', async () => {
    const filler = 'x'.repeat(1000);
    writeFileSync(file, Array.from({ length: 9000 }, (_, index) => entry(`/${index}/${filler}`)).join(''));
    log = await openAccessLog(file);
    expect(log.skipped()).toBe(0);
    expect(paths(log)).toHaveLength(1000);
  });

  it('goes on when the file is cut', async () => {
    writeFileSync(file, entry('/a') + entry('/b'));
    log = await openAccessLog(file);
    truncateSync(file, 0);
    appendFileSync(file, entry('/c'));
    await expect.poll(readPaths, SOON).toEqual(['/a', '/b', '/c']);
  });

  it('loses nothing when the file is moved away and written to under both names', async () => {
    writeFileSync(file, entry('/a'));
    log = await openAccessLog(file);
    appendFileSync(file, entry('/b'));
    renameSync(file, `${file}.1`);
    writeFileSync(file, entry('/c'));
    await expect.poll(readPaths, SOON).toEqual(['/a', '/b', '/c']);
    appendFileSync(`${file}.1`, entry('/late'));
    appendFileSync(file, entry('/d'));
    await expect
      .poll(() => new Set(paths(log as AccessLog)), { timeout: 3000 })
      .toEqual(new Set(['/a', '/b', '/c', '/late', '/d']));
  });

  it('finds a file that was deleted and made anew', async () => {
    writeFileSync(file, entry('/a'));
    log = await openAccessLog(file);
    rmSync(file);
    writeFileSync(file, entry('/b'));
    await expect.poll(readPaths, SOON).toEqual(['/a', '/b']);
  });

  it('shows the beginning of a line that is too long', async () => {
    writeFileSync(file, `{"d":"2","s":"5","k":"http","r":"/${'y'.repeat(100_000)}","st":"200"}\n${entry('/a')}`);
    log = await openAccessLog(file);
    const [long, next] = log.recent(KEY, 2);
    expect(long?.text).toMatch(/^- INFO - "\/y+/);
    expect(long?.text.length).toBeLessThanOrEqual(64 * 1024);
    expect(next?.text).toContain('/a');
  });
});
