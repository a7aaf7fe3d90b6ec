import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openConfig } from './config.ts';
import { Failure } from './failure.ts';
import { openHostConfig } from './host/hostConfig.ts';
import { Secret } from './io.ts';
import { checkTrusted, guardFile } from './storedFile.ts';

const OWN = process.getuid?.() ?? 0;
const SOMEBODY_ELSE = OWN + 1;

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-trusted-'));
  file = join(directory, 'config.json');
  writeFileSync(file, '{}', { mode: 0o600 });
  return () => rmSync(directory, { recursive: true });
});

const refusal = (path: string, uid?: number) => {
  try {
    checkTrusted(path, uid);
  } catch (error) {
    if (error instanceof Failure) return `${error.message} ${error.next}`;
    throw error;
  }
  return null;
};

describe('a configuration', () => {
  it('is used when its owner alone can write it and its directory', () => {
    expect(refusal(file)).toBeNull();
    chmodSync(file, 0o644);
    chmodSync(directory, 0o755);
    expect(refusal(file)).toBeNull();
    expect(refusal(join(directory, 'none', 'config.json'))).toBeNull();
  });

  it.each([0o660, 0o606])('is refused when others can write it: %o', (mode) => {
    chmodSync(file, mode);
    expect(refusal(file)).toBe(
      `${file} can be written by other users, so it is not used. Look whether it says what you want, then run \`chmod go-w ${file}\`.`,
    );
  });

  it('is refused when others can write its directory, unless they could not replace the file', () => {
    chmodSync(directory, 0o777);
    expect(refusal(file)).toContain(`\`chmod go-w ${directory}\``);
    chmodSync(directory, 0o1777);
    expect(refusal(file)).toBeNull();
  });

  it('is taken from root by every user', () => {
    expect(refusal('/etc/passwd', SOMEBODY_ELSE)).toBeNull();
  });

  it('is refused when it belongs to another user', () => {
    // Only root can give a file away; anyone else is given another name.
    const [reader, user] = OWN === 0 ? [OWN, 'root'] : [SOMEBODY_ELSE, String(SOMEBODY_ELSE)];
    if (OWN === 0) chownSync(directory, SOMEBODY_ELSE, SOMEBODY_ELSE);
    expect(refusal(file, reader)).toContain(`${directory} belongs to another user (uid `);
    expect(refusal(file, reader)).toContain(`\`chown ${user} ${directory}\``);
  });

  it('is looked at where a link leads as well', () => {
    const elsewhere = join(directory, 'elsewhere');
    mkdirSync(elsewhere);
    const target = join(elsewhere, 'real.json');
    writeFileSync(target, '{}', { mode: 0o600 });
    const link = join(directory, 'link.json');
    symlinkSync(target, link);
    expect(refusal(link)).toBeNull();
    chmodSync(target, 0o666);
    expect(refusal(link)).toContain(`\`chmod go-w ${target}\``);
    chmodSync(target, 0o600);
    chmodSync(elsewhere, 0o777);
    expect(refusal(link)).toContain(`\`chmod go-w ${elsewhere}\``);
  });

  it("is checked before a host's token or an operator's is read or written", () => {
    const host = openHostConfig(file);
    const config = {
      url: 'https://gw.test',
      token: new Secret('t'),
      pin: null,
      interface: 'sallyport',
      connected: true,
    };
    host.write(config);
    const operator = openConfig(directory);
    chmodSync(file, 0o666);
    for (const use of [
      () => host.read(),
      () => host.write(config),
      () => host.prepare(),
      () => host.reserve(),
      () => operator.get('default'),
    ]) {
      expect(use).toThrow('can be written by other users');
    }
  });
});

it.each([
  ['EACCES', 'There is no permission to use /x/file.'],
  ['EROFS', '/x/file is on a file system that is read-only.'],
  ['ENOSPC', '/x/file could not be written: the disk is full.'],
  ['ENOTDIR', '/x/file is in the way of the configuration.'],
  ['EIO', '/x/file could not be used (EIO).'],
  [undefined, '/x/file is damaged and was left as it is.'],
])('what the file system says is a sentence: %s', (code, sentence) => {
  const advice = { path: '/x/file', purpose: 'the configuration', elsewhere: '', permission: '', renew: '' };
  const work = () => {
    throw Object.assign(new Error('no'), code && { code });
  };
  expect(() => guardFile(advice, work)).toThrow(sentence);
});
