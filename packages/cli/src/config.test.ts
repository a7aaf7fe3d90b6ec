import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConfig } from './config.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-config-'));
});
afterEach(() => rmSync(base, { recursive: true }));

const emptyDirectory = () => join(base, 'made', 'by', 'us');
const session = {
  url: 'https://gateway.example:9443',
  username: 'admin',
  token: 'sps_secret',
  expiresAt: '2026-11-21T20:00:00.000Z',
  pin: null,
};

describe('the configuration', () => {
  it('keeps a session, readable by its owner alone, in a directory that it makes', () => {
    const directory = emptyDirectory();
    openConfig(directory).set('default', session);

    const config = openConfig(directory);
    expect(config.get('default')).toMatchObject({ url: session.url, username: 'admin', expiresAt: session.expiresAt });
    expect(config.get('default')?.token.reveal()).toBe('sps_secret');
    expect(statSync(config.path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory)).toEqual(['config.json']);
  });

  it('makes nothing where it is only read', () => {
    const directory = emptyDirectory();
    expect(openConfig(directory).get('default')).toBeUndefined();
    expect(existsSync(directory)).toBe(false);
  });

  it('makes a file that was open to all its own again', () => {
    const directory = emptyDirectory();
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'config.json'), '{}', { mode: 0o644 });
    const config = openConfig(directory);
    config.set('default', session);
    expect(statSync(config.path).mode & 0o777).toBe(0o600);
  });

  it('renews the pin of a certificate, but none that was chosen since', () => {
    const config = openConfig(emptyDirectory());
    const [before, key, chosen] = ['A', 'B', 'C'].map((digit) => digit.repeat(64)) as [string, string, string];
    config.set('default', { ...session, pin: before });
    config.renewPin('default', before, key);
    expect(config.get('default')?.pin).toBe(key);
    config.set('default', { ...session, pin: chosen });
    config.renewPin('default', before, key);
    expect(config.get('default')?.pin).toBe(chosen);
  });

  it('never shows the token by accident', () => {
    const config = openConfig(emptyDirectory());
    config.set('default', session);
    const profile = config.get('default');
    expect(`${inspect(profile)}${JSON.stringify(profile)}${String(profile?.token)}`).not.toContain('sps_secret');
  });

  it('keeps profiles apart, also those with a dot or an odd name', () => {
    const config = openConfig(emptyDirectory());
    config.set('eu.prod', session);
    config.set('eu', { ...session, username: 'eva' });
    expect(config.get('eu.prod')?.username).toBe('admin');
    expect(config.get('eu')?.username).toBe('eva');
    config.remove('eu.prod');
    expect(config.get('eu.prod')).toBeUndefined();
    expect(config.get('eu')?.username).toBe('eva');
    expect(config.get('constructor')).toBeUndefined();
  });

  it.each([
    ['half-written', '{"version":1,"profiles":{"default":{"url":"https://ga'],
    ['empty', ''],
    ['of another shape', '{"version":1,"profiles":{"default":{"url":17}}}'],
    ['a list of something', '{"profiles":[1]}'],
  ])('says in a sentence that a file is %s, and leaves it as it is', (_, content) => {
    const directory = emptyDirectory();
    mkdirSync(directory, { recursive: true });
    const path = join(directory, 'config.json');
    writeFileSync(path, content);
    expect(() => openConfig(directory).get('default')).toThrow(
      expect.objectContaining({
        ending: 'failed',
        message: `${path} is damaged and was left as it is.`,
        next: expect.stringContaining('sign in again'),
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  it('does not touch the file of a newer version', () => {
    const directory = emptyDirectory();
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'config.json'), '{"version":2,"profiles":{}}');
    expect(() => openConfig(directory).set('default', session)).toThrow('was written by a newer version of sallyport');
  });

  it('leaves no directory that it made for nothing', () => {
    const long = join(emptyDirectory(), 'x'.repeat(300));
    expect(() => openConfig(long).set('default', session)).toThrow(/could not be used \(ENAMETOOLONG\)/);
    expect(readdirSync(base)).toEqual([]);
  });

  it('ends at once where no directory can be made', () => {
    expect(() => openConfig('/proc/sallyport/below').set('default', session)).toThrow(/\/proc\/sallyport/);
  });
});
