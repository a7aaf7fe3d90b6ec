import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { workerUser } from './workerUser.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-accounts-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

const accountOf = (...names: string[]): string | undefined => {
  const file = join(directory, 'passwd');
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
