import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram, leavesOf } from '../packages/gateway/src/program.ts';
import { gatewayCompletion, gatewayManual } from './gatewayDocs.mjs';

const SHELLS = /** @type {const} */ (['bash', 'zsh', 'fish']);
let base;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-docs-'));
  for (const shell of SHELLS) writeFileSync(join(base, `completion.${shell}`), gatewayCompletion(shell));
  writeFileSync(join(base, 'gateway.backup'), '');
  writeFileSync(join(base, 'page.8'), gatewayManual({ version: '1.2.3', synopsis: 'a gateway' }));
});
afterAll(() => rmSync(base, { recursive: true }));

describe('the completion of the gateway’s command', () => {
  const BASH =
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sallyport-gateway; printf "%s\\n" "${COMPREPLY[@]}"';
  const inBash = (...words) =>
    spawnSync('bash', ['-c', BASH, 'bash', join(base, 'completion.bash'), 'sallyport-gateway', ...words], {
      cwd: base,
      encoding: 'utf8',
    })
      .stdout.trim()
      .split('\n');

  it('of bash names what may follow, and files where one is meant', () => {
    expect(inBash('re')).toEqual(['reset-password', 'restore']);
    expect(inBash('import', '')).toEqual(expect.arrayContaining(['nginx-proxy-manager', 'caddyfile', 'wiredoor']));
    expect(inBash('import', 'wiredoor', '--c')).toEqual(['--certificates']);
    expect(inBash('restore', 'gate')).toEqual(['gateway.backup']);
    expect(inBash('import', 'wiredoor', 'gate')).toEqual(['gateway.backup']);
    expect(inBash('check', 'gate')).toEqual(['']);
    expect(inBash('restore', 'gateway.backup', '--i')).toEqual(['--identity']);
  });

  it('of fish does, too', ({ skip }) => {
    const complete = (line) =>
      spawnSync('fish', ['--no-config', '-c', `source ${join(base, 'completion.fish')}; complete -C '${line}'`], {
        cwd: base,
        encoding: 'utf8',
      });
    if (complete('').error) skip('fish is not installed');
    const words = (line) =>
      complete(line)
        .stdout.split('\n')
        .map((text) => text.split('\t')[0]);
    expect(words('sallyport-gateway re')).toEqual(['reset-password', 'restore', '']);
    expect(words('sallyport-gateway import wiredoor --c')).toEqual(['--certificates', '']);
    expect(words('sallyport-gateway restore gate')).toEqual(['gateway.backup', '']);
    expect(words('sallyport-gateway check gate')).toEqual(['']);
  });

  it.for(SHELLS)('of %s is a script that the shell understands', (shell, { skip }) => {
    const { error, status, stderr } = spawnSync(shell, ['-n', join(base, `completion.${shell}`)], { encoding: 'utf8' });
    if (error) skip(`${shell} is not installed`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('the manual page of the gateway’s command', () => {
  it('has each command with its arguments and flags, and the exit codes', ({ skip }) => {
    const man = spawnSync('man', ['--warnings', '--nj', '--nh', '-l', join(base, 'page.8')], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '200', MAN_KEEP_FORMATTING: '' },
    });
    if (man.error) skip('man is not installed');
    expect([man.status, man.stderr]).toEqual([0, '']);
    const chapters = man.stdout.split(/^ {3}(?=\S)/m);
    for (const { words, command } of leavesOf(createProgram(/** @type {any} */ ({})))) {
      const chapter = chapters.find((text) =>
        text.startsWith(`${words}${command.options.length === 0 ? '\n' : ' [flags]'}`),
      );
      expect(chapter, words).toContain(command.description());
      for (const { flags } of command.options) expect(chapter).toMatch(new RegExp(`^ {7}${flags}( |$)`, 'm'));
      for (const { description } of command.registeredArguments) expect(chapter).toContain(description);
    }
    for (const code of [0, 1, 2, 130])
      expect(man.stdout).toMatch(new RegExp(`^EXIT STATUS(.|\n)*^ {7}${code} .*\\.$`, 'm'));
  });
});
