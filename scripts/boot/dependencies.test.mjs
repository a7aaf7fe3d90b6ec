import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ensureDependencies } from './dependencies.mjs';

let root;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-dependencies-'));
  await mkdir(join(root, 'node_modules'));
  await writeFile(join(root, 'pnpm-workspace.yaml'), '');
  await writeFile(join(root, 'pnpm-lock.yaml'), 'one');
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(root, { recursive: true });
});

/** Leaves a mark that it ran, then ends as told. */
async function pnpmThat(ending) {
  const path = join(root, 'pnpm');
  await writeFile(path, `#!/bin/sh\ntouch ran\n${ending}\n`, { mode: 0o755 });
  return { pnpm: path, env: process.env };
}

async function hasRun(runtime) {
  await rm(join(root, 'ran'), { force: true });
  await ensureDependencies(root, runtime, { pausesMs: [1] });
  return existsSync(join(root, 'ran'));
}

it('installs once, and again when the lock file changes', async () => {
  const runtime = await pnpmThat('exit 0');
  expect(await hasRun(runtime)).toBe(true);
  expect(await hasRun(runtime)).toBe(false);
  await writeFile(join(root, 'pnpm-lock.yaml'), 'two');
  expect(await hasRun(runtime)).toBe(true);
});

it('shows what pnpm said when it fails, and tries again the next time', async () => {
  await expect(hasRun(await pnpmThat('echo no such version; exit 3'))).rejects.toThrow('no such version');
  expect(await hasRun(await pnpmThat('exit 0'))).toBe(true);
});

it('tries once more by itself, for the network may have stumbled', async () => {
  expect(await hasRun(await pnpmThat('test -e tried || { touch tried; exit 1; }'))).toBe(true);
});
