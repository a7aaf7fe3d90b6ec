import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openProgramTrial } from '../testing/programTrial.ts';
import { gatewayOfSudoer } from './gatewayOfSudoer.ts';

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 240_000 };
const NOBODY = 65_534;

const canMount = (() => {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'sallyport', tmpdir()], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A machine's `/etc/passwd` and `/var/lib`, and the home of alice. */
function makeMachine() {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-sudo-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  chmodSync(base, 0o711);
  const paths = { passwd: join(base, 'passwd'), state: join(base, 'lib'), home: join(base, 'alice') };
  const alice = `alice:x:${NOBODY}:${NOBODY}::${paths.home}:/bin/sh\n`;
  writeFileSync(paths.passwd, `${alice}${readFileSync('/etc/passwd', 'utf8')}`);
  mkdirSync(paths.state);
  const data = join(paths.home, '.local/share/sallyport');
  const mounts = `mount --bind ${paths.passwd} /etc/passwd && mount --bind ${paths.state} /var/lib && exec "$@"`;
  return { ...paths, data, within: ['unshare', '--mount', 'sh', '-c', mounts, 'sh'] };
}

it.skipIf(!canMount)('sudo begins no second gateway, and what it says goes on with the first one', STARTS, async () => {
  const { data, state, within } = makeMachine();
  const user = await openProgramTrial(data);
  onTestFinished(() => user.close());
  const first = await user.start();
  await user.signIn();
  expect((await user.call('POST', '/api/nodes', { name: 'nas' })).status).toBe(200);
  expect(await first.end('SIGINT')).toBe(0);
  execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, data]);

  const sudo = { SALLYPORT_DATA: undefined, SUDO_USER: 'alice' };
  const refused = await user.start(sudo, { within });
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`alice has a gateway in ${data}`) });
  expect(refused.err).toContain(`SALLYPORT_DATA=${data}`);
  expect(readdirSync(state)).toEqual([]);
  expect(await user.start(sudo, { within, args: ['check'] })).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^FIX +data +alice has a gateway/m),
  });

  const [move = ''] = /mv [^;]* root:root [^;]*/.exec(refused.err) ?? [];
  const [program, ...words] = [...within, 'sh', '-c', move];
  execFileSync(program, words);
  const second = await user.start(sudo, { within });
  expect([second.code, second.out]).toEqual([null, expect.stringContaining('in /var/lib/sallyport; ')]);
  expect((await user.signIn()).status).toBe(200);
  expect((await user.call('GET', '/api/nodes')).body).toContainEqual(expect.objectContaining({ name: 'nas' }));
});

/** Has an account come from elsewhere than `/etc/passwd`, as on a machine of a directory service. */
function knowElsewhere(name: string, home: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-getent-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const line = `${name}:x:4711:4711::${home}:/bin/sh`;
  writeFileSync(join(directory, 'getent'), `#!/bin/sh\n[ "$*" = 'passwd -- ${name}' ] && echo '${line}'\n`, {
    mode: 0o755,
  });
  vi.stubEnv('PATH', `${directory}:${process.env['PATH'] ?? ''}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

it('looks where the machine says that the user is at home, and where root has chosen nothing', () => {
  const { data, home, state } = makeMachine();
  knowElsewhere('alice', home);
  const directory = join(state, 'sallyport');
  const found = (env: NodeJS.ProcessEnv, uid = 0) => gatewayOfSudoer(env, { directory, uid });
  // They may have one where XDG_DATA_HOME says, which sudo does not pass on.
  expect(found({ SUDO_USER: 'alice' })).toEqual({
    reason: expect.stringMatching(`alice has no gateway in ${data}, so root begins one in ${directory}.*XDG_DATA_HOME`),
    fix: null,
  });
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'sallyport.db'), '');
  const there = {
    reason: expect.stringContaining(`alice has a gateway in ${data}`),
    fix: expect.objectContaining({ command: expect.stringMatching(/^mv .* && chown /) }),
  };
  expect(found({ SUDO_USER: 'alice' })).toEqual(there);
  expect(found({ SUDO_USER: 'alice', SALLYPORT_DATA: '' })).toEqual(there);
  expect(found({ SUDO_USER: 'alice' }, NOBODY)).toBeNull();
  expect(found({ SUDO_USER: 'alice', SALLYPORT_DATA: directory })).toBeNull();
  for (const name of [undefined, '', 'bob', '-s', `../${home}`])
    expect(found({ SUDO_USER: name, HOME: home })).toBeNull();
  mkdirSync(directory);
  expect(found({ SUDO_USER: 'alice' })).toBeNull();
});
