import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRuntime, isSuitableNode } from './runtime.mjs';

let root;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-runtime-'));
  await cp(join(import.meta.dirname, '..', 'runtime'), join(root, 'scripts', 'runtime'), { recursive: true });
});
afterEach(() => rm(root, { recursive: true }));

/** A machine as `process` describes it. */
const machine = (version, { platform = 'sunos', path = '/nowhere' } = {}) => ({
  versions: { node: version },
  execPath: '/usr/bin/node',
  platform,
  arch: 'x64',
  env: { PATH: path },
});

describe('the Node that the project runs with', () => {
  it.each([
    ['18.20.4', false],
    ['20.20.2', false],
    ['24.14.9', false],
    ['24.15.0', true],
    ['24.21.0', true],
    ['25.9.0', false],
    ['26.0.0', true],
    ['30.1.0', true],
  ])('%s: %s', (version, suits) => {
    expect(isSuitableNode(version)).toBe(suits);
  });

  it('is asked for in one sentence where none can be fetched', async () => {
    await expect(findRuntime(root, machine('20.20.2'))).rejects.toThrow('install Node 24.15 or newer (and pnpm 12)');
  });

  it('is not asked for when it is there and only pnpm is missing', async () => {
    await expect(findRuntime(root, machine('26.1.0'))).rejects.toThrow(/: install pnpm 12 and try again\.$/);
  });
});
