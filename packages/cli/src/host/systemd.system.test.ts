import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemdUnit, UNIT_NAME } from './systemd.ts';

const ANALYZE = 'systemd-analyze';
const HAS_SYSTEMD = spawnSync(ANALYZE, ['--version']).status === 0;
if (!HAS_SYSTEMD) process.stderr.write('skipped: systemd-analyze is not installed, so no one reads the unit\n');

/** Tenths; 10.0 is a service that may do everything, and from 5.0 on systemd calls it exposed. */
const EXPOSURE_MAX_TENTHS = 40;

let base: string;
let unit: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-unit-'));
  unit = join(base, UNIT_NAME);
});
afterAll(() => rmSync(base, { recursive: true }));

const analyze = (...words: string[]) => spawnSync(ANALYZE, [...words, unit], { encoding: 'utf8' });

describe.skipIf(!HAS_SYSTEMD)('the unit, as systemd reads it', () => {
  it.each([
    ['of a package', ['/usr/bin/env'], '/etc/sallyport/config.json', '/etc/sallyport'],
    ['of paths with signs that mean something to it', [process.execPath, '/opt/100% "ours"/$main.js'], '', ''],
  ])('%s has no line that it does not understand', (_, self, file, directory) => {
    const odd = join(base, '50% "odd" $place');
    mkdirSync(odd, { recursive: true });
    writeFileSync(unit, systemdUnit(self, file || join(odd, 'config.json'), directory || odd));
    const { status, stdout, stderr } = analyze('verify');
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('is little of root', () => {
    writeFileSync(unit, systemdUnit(['/usr/bin/env'], '/etc/sallyport/config.json', '/etc/sallyport'));
    const { status, stdout } = analyze(
      'security',
      '--offline=true',
      `--threshold=${EXPOSURE_MAX_TENTHS}`,
      '--no-pager',
    );
    expect(stdout).toMatch(/Overall exposure level for sallyport\.service: [0-3]\.\d OK/);
    expect(status).toBe(0);
  });
});
