import { execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDataDirectory, workerUser } from './dataDirectory.ts';
import { StartError } from './startError.ts';

const modulePath = new URL('./dataDirectory.ts', import.meta.url).href;
const isRoot = process.getuid?.() === 0;

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-data-'));
  chmodSync(base, 0o711);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(base, { recursive: true, force: true });
});

const mode = (path: string): number => statSync(path).mode & 0o777;

describe('openDataDirectory', () => {
  it('makes the layout with modes that keep secrets from the workers', () => {
    const data = openDataDirectory(join(base, 'a', 'data'));
    expect(mode(data.path)).toBe(0o711);
    expect(mode(data.secrets)).toBe(0o700);
    expect(mode(join(data.ingress, 'generations'))).toBe(0o700);
    for (const name of ['run', 'logs', 'acme']) {
      const { uid, gid } = statSync(join(data.ingress, name));
      expect(mode(join(data.ingress, name))).toBe(0o750);
      expect(uid).toBe(process.getuid?.());
      expect(gid).toBe(data.workerUser?.gid ?? process.getgid?.());
    }
    data.close();
  });

  it('opens the same directory again after it was closed, and fixes modes that were changed', () => {
    const path = join(base, 'data');
    openDataDirectory(path).close();
    chmodSync(join(path, 'secrets'), 0o755);
    const again = openDataDirectory(path);
    expect(mode(again.secrets)).toBe(0o700);
    again.close();
  });

  it('follows a symbolic link to the real directory, so that every name for it is the same', () => {
    mkdirSync(join(base, 'real'));
    symlinkSync(join(base, 'real'), join(base, 'link'));
    const data = openDataDirectory(join(base, 'link'));
    expect(data.path).toBe(join(base, 'real'));
    data.close();
  });

  it('refuses a second gateway in the same and in another process, and names the first', async () => {
    const data = openDataDirectory(join(base, 'data'));
    const sentence = new RegExp(`^Another gateway \\(process ${process.pid}\\) is using .*SALLYPORT_DATA`);
    expect(() => openDataDirectory(data.path)).toThrow(sentence);
    const script = `import { openDataDirectory } from ${JSON.stringify(modulePath)};
      try { openDataDirectory(process.argv[1]); console.log('opened'); } catch (error) { console.log(error.message); }`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, data.path]);
    expect(stdout).toMatch(sentence);
    data.close();
  });

  it('is free again at once when its holder was killed', async () => {
    const path = join(base, 'data');
    // The holder keeps no reference and collects its garbage: the lock must not depend on either.
    const script = `import { openDataDirectory } from ${JSON.stringify(modulePath)};
      openDataDirectory(process.argv[1]); await new Promise(setImmediate); gc();
      await new Promise(setImmediate); console.log('opened'); process.stdin.resume();`;
    // Tied to this process by its input alone: one that outlived it with our standard error would keep the tests from ending.
    const holder = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script, path]);
    try {
      await once(holder.stdout, 'data');
      expect(() => openDataDirectory(path)).toThrow(`process ${holder.pid}`);
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    }
    openDataDirectory(path).close();
  });

  it('says in a sentence that a file is in the way', () => {
    writeFileSync(join(base, 'file'), '');
    for (const path of [join(base, 'file'), join(base, 'file', 'below')]) {
      expect(() => openDataDirectory(path)).toThrow(
        new StartError(`${path} is not a directory. Choose another one with SALLYPORT_DATA.`),
      );
    }
  });

  it('says in a sentence that its lock file is damaged', () => {
    openDataDirectory(base).close();
    writeFileSync(join(base, 'gateway.lock'), 'x'.repeat(4096));
    expect(() => openDataDirectory(base)).toThrow(/cannot be used \(file is not a database\)\. Repair it/);
  });

  it('leaves a directory with other content alone', () => {
    chmodSync(base, 0o755);
    writeFileSync(join(base, 'somebodys.txt'), '');
    expect(() => openDataDirectory(base)).toThrow(/is not empty and is not a data directory of Sallyport/);
    expect(mode(base)).toBe(0o755);
  });

  it('refuses a path that is too long for a socket', () => {
    expect(() => openDataDirectory(join(base, 'x'.repeat(100)))).toThrow(/bytes too long for the sockets/);
  });

  it('refuses a place that the workers cannot enter, and names the closed parent', ({ skip }) => {
    skip(!isRoot, 'only root has workers under another account');
    const closed = join(base, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    expect(() => openDataDirectory(join(closed, 'data'))).toThrow(
      new RegExp(`^nginx's workers \\(.+\\) cannot enter ${closed}, .*chmod o\\+x ${closed}`),
    );
  });

  it('says so when the account may not write there', async ({ skip }) => {
    skip(!isRoot, 'needs root to become another account');
    const path = join(base, 'data');
    mkdirSync(path);
    chownSync(path, 0, 0);
    const script = `import { openDataDirectory } from ${JSON.stringify(modulePath)};
      process.setgid(65534); process.setuid(65534);
      for (const path of process.argv.slice(1)) try { openDataDirectory(path); } catch (error) { console.log(error.name + ': ' + error.message); }`;
    const args = ['--input-type=module', '-e', script, path, join(path, 'new')];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout.match(/^StartError: The data directory .* cannot be written by this account\./gm)).toHaveLength(2);
  });
});

// These refuse new entries to everybody, root included; /proc does so with words that Node takes for "try the parent".
it.each(['/proc/sallyport', '/proc/sallyport/data', '/dev/null/data'])('refuses %s in a sentence, at once', (path) => {
  expect(() => openDataDirectory(path)).toThrow(StartError);
  expect(() => openDataDirectory(path)).toThrow(/SALLYPORT_DATA\.$/);
});

const accountOf = (...names: string[]): string | undefined => {
  const file = join(base, 'passwd');
  writeFileSync(file, names.map((name, index) => `${name}:x:${index}:${index}::/:/bin/false\n`).join(''));
  return workerUser(file)?.name;
};

it('is one that nothing but the gateway’s nginx has, where the machine has it', () => {
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(0);
  expect(accountOf('root', 'nobody', 'www-data', 'sallyport-nginx')).toBe('sallyport-nginx');
  expect(accountOf('root', 'nobody', 'www-data')).toBe('www-data');
  getuid.mockReturnValue(1000);
  expect(accountOf('root', 'www-data')).toBeUndefined();
});
