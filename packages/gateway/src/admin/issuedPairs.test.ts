import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putCertbotPair } from '../testing/certbotDirectory.ts';
import { keepPair, readCertbotPair, removePair } from './issuedPairs.ts';

const DOMAIN = 'a.example.test';
let base: string;
let directory: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-pairs-'));
  directory = join(base, 'letsencrypt');
  putCertbotPair(directory, 'npm-1', DOMAIN);
});
afterEach(() => rmSync(base, { recursive: true }));

const read = (domain = DOMAIN) => readCertbotPair(directory, 'npm-1', domain);
const key = () => join(directory, 'live', 'npm-1', 'privkey.pem');

describe('a pair of certbot', () => {
  it('is read through its links, also where the directory itself is one', () => {
    expect(read()).toMatchObject({ endsAt: expect.any(Date) });
    symlinkSync(directory, join(base, 'link'));
    expect(readCertbotPair(join(base, 'link'), 'npm-1', DOMAIN)).toHaveProperty('pair');
  });

  it('is for its name alone', () => {
    expect(read('b.example.test')).toEqual({ why: expect.stringContaining('not for this name') });
  });

  it('is not read through a link that leads elsewhere, of a file or of a directory', () => {
    copyFileSync(key(), join(base, 'elsewhere.pem'));
    rmSync(key());
    symlinkSync(join(base, 'elsewhere.pem'), key());
    expect(read()).toEqual({ why: expect.stringContaining('a link leads out of that directory') });
    const live = join(directory, 'live');
    renameSync(live, join(base, 'live'));
    renameSync(join(directory, 'archive'), join(base, 'archive'));
    symlinkSync(join(base, 'live'), live);
    expect(read()).toEqual({ why: expect.stringContaining('a link leads out of that directory') });
  });

  it.each<[string, () => void]>([
    ['a pipe, which never ends', () => void execFileSync('mkfifo', [key()])],
    ['a directory', () => mkdirSync(key())],
    ['a device', () => symlinkSync('/dev/zero', key())],
    ['a file of any size', () => writeFileSync(key(), Buffer.alloc(1_000_000))],
    ['no key', () => writeFileSync(key(), 'not a key')],
  ])('is not taken where its key is %s', (_, put) => {
    rmSync(key());
    put();
    expect(read()).toEqual({ why: expect.stringMatching(/cannot be read|is damaged/) });
  });

  it('that is missing or over is said to be so', () => {
    expect(readCertbotPair(directory, 'npm-2', DOMAIN)).toEqual({ why: expect.stringContaining('is not in') });
    const later = new Date(Date.now() + 81 * 86_400_000);
    expect(readCertbotPair(directory, 'npm-1', DOMAIN, later)).toEqual({ why: expect.stringContaining('ended on') });
  });
});

it('is kept for the gateway’s own account alone, whatever stands in its place, and removed', async () => {
  const found = read();
  if (!('pair' in found)) throw new Error(found.why);
  const file = join(base, 'data', 'secrets', 'issued', 'pairs', DOMAIN, 'pair.pem');
  await keepPair(join(base, 'data'), DOMAIN, found.pair);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o644);
  await keepPair(join(base, 'data'), DOMAIN, found.pair);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(join(base, 'other'), 'untouched');
  rmSync(file);
  symlinkSync(join(base, 'other'), file);
  await keepPair(join(base, 'data'), DOMAIN, found.pair);
  expect(readFileSync(join(base, 'other'), 'utf8')).toBe('untouched');
  removePair(join(base, 'data'), DOMAIN);
  expect(() => statSync(file)).toThrow('ENOENT');
});
