import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writeBundle } from './bundle.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-bundle-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('leaves nothing behind but the archive, and nothing at all where that cannot be written', async () => {
  await expect(writeBundle(join(folder, 'missing', 'bundle.tar.gz'), [], {}, [])).rejects.toThrow('no such directory');
  expect(readdirSync(folder)).toEqual([]);
  await writeBundle(join(folder, 'bundle.tar.gz'), [], {}, []);
  expect(readdirSync(folder)).toEqual(['bundle.tar.gz']);
});
