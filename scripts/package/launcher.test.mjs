import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LAUNCHER, SETTINGS } from './launcher.mjs';

/** Root reads everything. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
let base;
let settings;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-launcher-'));
  chmodSync(base, 0o755);
  const lib = join(base, 'usr/lib/sallyport-gateway');
  for (const folder of ['usr/bin', 'etc']) mkdirSync(join(base, folder), { recursive: true });
  mkdirSync(lib, { recursive: true });
  settings = join(base, 'etc/gateway.env');
  writeFileSync(join(base, 'usr/bin/sallyport-gateway'), LAUNCHER.replace(SETTINGS, settings), { mode: 0o755 });
  // It stands for Node.
  writeFileSync(join(lib, 'node'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  return () => {
    chmodSync(join(base, 'etc'), 0o755);
    rmSync(base, { recursive: true });
  };
});

function run(...words) {
  const { status, stdout, stderr } = spawnSync(join(base, 'usr/bin/sallyport-gateway'), words, {
    ...NOBODY,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}
const hint = (line) => ({ status: 1, stdout: '', stderr: `This machine's gateway runs as root. Run: sudo ${line}\n` });

describe('where the settings are closed to the caller', () => {
  beforeEach(() => writeFileSync(settings, '', { mode: 0 }));

  it.each(['check', 'start', 'reset-password', 'backup FILE', 'restore FILE --yes', 'import caddyfile FILE'])(
    'begins nothing: %s',
    (line) => {
      expect(run(...line.split(' '))).toEqual(hint(`sallyport-gateway ${line}`));
    },
  );

  it('begins nothing where no command is named, which is a start', () => {
    expect(run()).toEqual(hint('sallyport-gateway'));
  });

  it.each(['health', 'version --json', '--version', 'backup --help', '-h'])('does what needs none: %s', (line) => {
    expect(run(...line.split(' '))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(new RegExp(`^--env-file=/dev/null .*main\\.js ${line}\n$`)),
    });
  });
});

it('begins nothing where the folder of the settings is closed to the caller', () => {
  chmodSync(join(base, 'etc'), 0);
  expect(run('check')).toEqual(hint('sallyport-gateway check'));
});

it('takes the settings where they can be read, and none where there are none', () => {
  expect(run('check').stdout).toMatch(/^--env-file=\/dev\/null .*main\.js check\n$/);
  writeFileSync(settings, '', { mode: 0o644 });
  expect(run('check').stdout).toMatch(/^--env-file=\S+\/etc\/gateway\.env .*main\.js check\n$/);
});
