import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isBuilt, keepStamp, requireBuilt, stampOf } from './buildStamp.mjs';

let root;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-stamp-'));
  for (const path of ['pnpm-lock.yaml', 'package.json', 'tsconfig.base.json', 'LICENSE', 'SECURITY.md'])
    await put(path);
  for (const path of ['docs/operating.md', 'docs/guide/index.md']) await put(path);
  for (const path of ['src/main.ts', 'src/ui/List.tsx', 'public/first.js', 'index.html'])
    await put(`packages/web/${path}`);
  await put('packages/web/dist/index.html');
  keepStamp(root, stampOf(root));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path, content = 'one') {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

it('holds while nothing that the build reads has changed', async () => {
  expect(isBuilt(root)).toBe(true);
  await put('packages/web/dist/index.html', 'two');
  await put('packages/web/src/main.test.ts', 'two');
  await put('packages/web/README.md', 'two');
  await put('docs/screens/logs.png', 'two');
  expect(isBuilt(root)).toBe(true);
});

it('says how to build what was never built', () => {
  expect(() => requireBuilt(root, ['web'])).not.toThrow();
  expect(() => requireBuilt(root, ['web', 'gateway'])).toThrow(
    'nothing is built yet. Build first: npm run boot -- build',
  );
});

it.each([
  'pnpm-lock.yaml',
  'packages/web/src/ui/List.tsx',
  'packages/web/src/new.ts',
  'packages/web/public/first.js',
  'packages/web/index.html',
  'packages/web/vite.config.ts',
  'packages/web/docs/docs.css',
  'docs/operating.md',
  'docs/guide/new.md',
  'SECURITY.md',
])('is void when %s changes', async (path) => {
  await put(path, 'two');
  expect(isBuilt(root)).toBe(false);
});

it('is void when a package has no build', async () => {
  await put('packages/cli/package.json');
  keepStamp(root, stampOf(root));
  expect(isBuilt(root)).toBe(false);
});

it('is void when a file is gone', async () => {
  await rm(join(root, 'packages/web/public/first.js'));
  expect(isBuilt(root)).toBe(false);
});
