import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const POSTRM = join(import.meta.dirname, '../../packages/gateway/debian/postrm');

it('a purge of the gateway names and deletes also what restores have put aside, and nothing else', () => {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-purge-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  for (const name of ['', '.before-2026-01-01', '.before-2026-02-02', '.restoring', '-of-others']) {
    mkdirSync(join(base, `sallyport${name}`));
    writeFileSync(join(base, `sallyport${name}`, 'sallyport.db'), '');
  }
  const script = readFileSync(POSTRM, 'utf8')
    .replaceAll('/var/lib', base)
    .replaceAll(/\/(?:usr\/bin|run)\/[\w/-]+/g, join(base, 'none'));
  const run = (action) => execFileSync('sh', ['-c', script, 'postrm', action], { encoding: 'utf8' });

  run('remove');
  expect(readdirSync(base)).toHaveLength(5);
  const said = run('purge');
  expect(readdirSync(base)).toEqual(['sallyport-of-others']);
  for (const name of ['sallyport', 'sallyport.before-2026-01-01', 'sallyport.before-2026-02-02']) {
    expect(said).toContain(`deleting ${join(base, name)},`);
  }
  expect(run('purge')).toBe('');
});
