import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

/** Of the checkout it has the scripts, and nothing that is built. */
function run(...words) {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-unbuilt-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  cpSync(join(import.meta.dirname, '..'), join(base, 'scripts'), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [join(base, 'scripts/package.mjs'), ...words], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

it('says in a sentence that nothing is built yet', () => {
  const stderr = 'sallyport: nothing is built yet. Build first: npm run boot -- build\n';
  expect(run('--native')).toEqual({ status: 1, stderr });
});

it('helps also where nothing is built yet', () => {
  expect(run('--help')).toEqual({ status: 0, stderr: expect.stringMatching(/^sallyport: npm run boot -- package \[/) });
});

it('says in a sentence that there is no such option', () => {
  const stderr = "sallyport: Unknown option '--nope'. --help names the options.\n";
  expect(run('--nope')).toEqual({ status: 1, stderr });
});
