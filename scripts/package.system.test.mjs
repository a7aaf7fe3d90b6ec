import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../packages/cli/package.json'), 'utf8'));
let base;
let first;

function makePackages(name) {
  const folder = join(base, name);
  execFileSync(process.execPath, [join(import.meta.dirname, 'package.mjs'), '--out', folder, '--level', '1'], {
    env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const find = (ending) => join(folder, readdirSync(folder).find((file) => file.endsWith(ending)) ?? 'none');
  return { deb: find('.deb'), npm: find('.tgz') };
}

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
  first = makePackages('one');
});
afterAll(() => rmSync(base, { recursive: true }));

describe('the packages', () => {
  it('are installed into a directory and run there; the Debian package on a host without Node', () => {
    const { deb, npm } = first;
    const target = join(base, 'installed');
    execFileSync('dpkg-deb', ['-x', deb, target]);
    // Only what every Debian has: no `node` in sight.
    const bare = join(base, 'bin');
    mkdirSync(bare);
    for (const program of ['dirname', 'readlink']) execFileSync('ln', ['-s', `/usr/bin/${program}`, bare]);
    const run = (argv) =>
      spawnSync(join(target, 'usr/bin/sallyport'), argv, { encoding: 'utf8', env: { PATH: bare, HOME: base } });
    expect(run(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect(run(['node', 'list'])).toMatchObject({ status: 4, stdout: '' });
    expect(run(['top'])).toMatchObject({ status: 2 });
    for (const file of [
      'usr/share/man/man1/sallyport.1.gz',
      'usr/share/bash-completion/completions/sallyport',
      'usr/share/zsh/vendor-completions/_sallyport',
      'usr/share/fish/vendor_completions.d/sallyport.fish',
    ]) {
      expect(readFileSync(join(target, file)).length).toBeGreaterThan(100);
    }
    expect(execFileSync('dpkg-deb', ['--field', deb, 'Version'], { encoding: 'utf8' })).toBe(`${version}\n`);
    const contents = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8' }).trim().split('\n');
    expect(contents.filter((line) => !line.includes(' root/root '))).toEqual([]);

    const unpacked = join(base, 'npm');
    mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', npm, '-C', unpacked]);
    const main = join(unpacked, 'package/dist/main.js');
    expect(execFileSync(process.execPath, [main, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  });

  it('carry the unit of systemd, and start nothing by themselves', () => {
    const { deb } = first;
    const target = join(base, 'unit');
    execFileSync('dpkg-deb', ['-R', deb, target]);
    expect(readdirSync(join(target, 'DEBIAN')).toSorted()).toEqual(['control', 'md5sums']);
    const unit = readFileSync(join(target, 'usr/lib/systemd/system/sallyport.service'), 'utf8');
    expect(unit).toContain('\nExecStart=/usr/bin/sallyport service run --config /etc/sallyport/config.json\n');
    expect(unit).toContain('\nConditionPathExists=/etc/sallyport/config.json\n');
    expect(unit).toContain('\nReadWritePaths=/etc/sallyport ');
    expect(unit).toContain('\nNoNewPrivileges=yes\n');
    expect(unit).toContain('\nWantedBy=multi-user.target\n');
  });

  it('are the same bytes when they are made again', () => {
    const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
    expect(digest(makePackages('two').deb)).toBe(digest(first.deb));
  });
});
