import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';

const DEBIAN = join(import.meta.dirname, '../../packages/gateway/debian');
/** They stand for those of Debian. */
const PROGRAMS = {
  'deb-systemd-helper': 'exit 0',
  'dpkg-query': 'case " $INSTALLED " in *" $4 "*) echo installed ;; *) echo unpacked ;; esac',
};
let base;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-cut-off-'));
  mkdirSync(join(base, 'misc'));
  mkdirSync(join(base, 'units'));
  mkdirSync(join(base, 'bin'));
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(base, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  for (const unit of ['nginx.service', 'certbot.timer']) writeFileSync(join(base, 'units', unit), '');
  return () => rmSync(base, { recursive: true });
});

/** Runs a script of the package on a machine that has no package but these; what it said. */
function run(script, argument, installed = '') {
  const text = readFileSync(join(DEBIAN, script), 'utf8')
    .replaceAll('/var/lib', base)
    .replaceAll('/usr/lib/systemd/system', join(base, 'units'))
    .replaceAll(/\/(?:run|etc\/init\.d)\/[\w/-]*/g, join(base, 'none'));
  return execFileSync('sh', ['-c', text, script, argument], {
    encoding: 'utf8',
    env: { PATH: `${join(base, 'bin')}:${process.env['PATH']}`, INSTALLED: installed },
  });
}
const disabled = (said) => [...said.matchAll(/: disabled (\S+),/g)].map(([, unit]) => unit);

it('a gateway disables what came with it, also when its installation was cut off in between', () => {
  run('preinst', 'install');
  // By the next try, what came with it has been configured.
  run('preinst', 'install', 'nginx-common certbot');
  expect(disabled(run('postinst', 'configure'))).toEqual(['nginx.service', 'certbot.timer']);
});

it('a gateway leaves alone what was there before, also when its configuration was cut off', () => {
  run('preinst', 'install', 'nginx-common');
  expect(disabled(run('postinst', 'configure'))).toEqual(['certbot.timer']);
  expect(disabled(run('postinst', 'configure'))).toEqual([]);
});
