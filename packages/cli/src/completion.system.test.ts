import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPiped } from './testing/process.ts';

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
});
afterAll(() => rmSync(base, { recursive: true }));

describe('completion', () => {
  it('of bash names what may follow, from the commands themselves', async () => {
    const script = join(base, 'completion.bash');
    writeFileSync(script, (await startPiped(['completion', 'bash'], {}).ended).out);
    const complete = (...words: string[]) =>
      spawnSync(
        'bash',
        [
          '-c',
          'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sallyport; printf "%s\\n" "${COMPREPLY[@]}"',
          'bash',
          script,
          'sallyport',
          ...words,
        ],
        { encoding: 'utf8' },
      ).stdout.split('\n');
    expect(complete('no')).toContain('node');
    expect(complete('service', 'create', '')).toEqual(expect.arrayContaining(['http', 'tcp']));
    expect(complete('node', 'list', '--or')).toContain('--order-by');
    // Every command takes what stands before it as well.
    expect(complete('node', 'list', '--js')).toContain('--json');
    expect(complete('node', 'list', '--type', 'g')).toContain('gateways');
    expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  });

  it.for(['bash', 'zsh', 'fish'])('of %s is a script that the shell understands', async (shell, { skip }) => {
    if (spawnSync(shell, ['-c', ':']).error) {
      process.stderr.write(`skipped: ${shell} is not installed, so its completion is not checked\n`);
      skip();
    }
    const script = join(base, `completion.${shell}`);
    writeFileSync(script, (await startPiped(['completion', shell], {}).ended).out);
    const { status, stderr } = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
