import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPermissions } from './checkPermissions.ts';

const isRoot = process.getuid?.() === 0;
const FINE = [{ what: 'permissions', state: 'ok', text: expect.any(String), fix: null, command: null }];
let base: string;
let data: string;
const check = (keyFile: string | null = null, dataDirectory = data) => checkPermissions({ dataDirectory, keyFile });
/** As the gateway makes one. */
function put(path: string) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, '', { mode: 0o600 });
}

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-permissions-'));
  chmodSync(base, 0o711);
  data = join(base, 'with space', 'data');
  mkdirSync(data, { recursive: true, mode: 0o711 });
  for (const name of [
    'secrets/vault.key',
    'secrets/issued/pairs/a.test/pair.pem',
    'sallyport.db',
    'initial-password',
  ]) {
    put(join(data, name));
  }
  for (const name of ['certbot/README', 'making-x/request.pem']) {
    put(join(data, 'secrets/issued', name));
    chmodSync(join(data, 'secrets/issued', name), 0o644);
  }
});
afterEach(() => rmSync(base, { recursive: true }));

describe('the check of permissions', () => {
  it('finds nothing in what the gateway makes, nor before it made anything', () => {
    expect(check()).toEqual(FINE);
    expect(check(null, join(base, 'later', 'data'))).toEqual(FINE);
  });

  it.each([
    ['secrets', 0o755],
    ['secrets/vault.key', 0o604],
    ['secrets/issued/pairs/a.test/pair.pem', 0o640],
    ['sallyport.db', 0o644],
    ['initial-password', 0o644],
  ])('names %s with mode %o, and the command closes it', (name, mode) => {
    const path = join(data, name);
    chmodSync(path, mode);
    const [finding, ...others] = check();
    expect([finding, others]).toEqual([
      {
        what: 'permissions',
        state: 'failed',
        text: `the mode of ${path} is open to other accounts of this machine.`,
        fix: expect.stringMatching(/^Close it: chmod /),
        command: expect.stringMatching(/^chmod /),
      },
      [],
    ]);
    execFileSync('sh', ['-c', finding?.command ?? '']);
    expect(check()).toEqual(FINE);
  });

  it('looks at a key file that is elsewhere', () => {
    const keyFile = join(base, 'key');
    put(keyFile);
    expect(check(keyFile)).toEqual(FINE);
    chmodSync(keyFile, 0o644);
    expect(check(keyFile)).toMatchObject([{ state: 'failed', command: `chmod -R go= ${keyFile}` }]);
  });

  it.skipIf(!isRoot)(
    'names the parent that nginx’s workers cannot enter, also of a directory that is yet to come',
    () => {
      chmodSync(dirname(data), 0o700);
      symlinkSync(dirname(data), join(base, 'link'));
      for (const directory of [data, join(dirname(data), 'later', 'data'), join(base, 'link', 'data')]) {
        expect(check(null, directory)).toMatchObject([
          {
            state: 'failed',
            text: expect.stringContaining(`cannot enter ${dirname(data)}`),
            command: `chmod o+x '${dirname(data)}'`,
          },
        ]);
      }
      execFileSync('sh', ['-c', check()[0]?.command ?? '']);
      expect(check()).toEqual(FINE);
    },
  );
});
