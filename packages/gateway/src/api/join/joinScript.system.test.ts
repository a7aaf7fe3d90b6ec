import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { joinScript } from './joinScript.ts';

const PLACE = { vpnHost: 'gateway.example.test', consolePort: 9443, keyPin: Buffer.alloc(32).toString('base64') };
const URL = 'https://gateway.example.test:9443';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-script-'));
  for (const name of ['dpkg', 'apt-get', 'wg', 'wg-quick', 'ip', 'nft', 'wireguard-go']) program(name, 'exit 0');
  program('id', 'echo 0');
  program('sallyport', `echo "$*" >> '${folder}/ran'`);
  return () => rmSync(folder, { recursive: true });
});

const program = (name: string, text: string) =>
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });

/** Runs the script as the line does, on a machine whose programs are those above. */
function run(...words: string[]): { status: number | null; err: string } {
  const env = { PATH: `${folder}:/usr/bin:/bin`, SALLYPORT_CODE_FILE: '/root/code' };
  const ended = spawnSync('sh', ['-s', '--', ...words], { input: joinScript(PLACE), encoding: 'utf8', env });
  return { status: ended.status, err: ended.stderr };
}

it.each([
  [6, `The name in ${URL} is not found. Check the DNS of this host`],
  [7, `Nothing answers at ${URL}. Check that the gateway runs`],
  [28, `${URL} did not answer in time. Check that`],
  [90, `What answers at ${URL} has another key than this line. Copy the line from the console again`],
  [22, 'The gateway has no package sallyport_'],
  [56, 'could not be fetched (curl: 56). Run the line again'],
])('curl that ends with %i says what failed, and what to do', (code, sentence) => {
  program('curl', `exit ${code}`);
  const { status, err } = run();
  expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining(sentence) });
  expect(err.includes('no package')).toBe(code === 22);
});

it('gives what stands after the line to the command', () => {
  program('curl', 'exit 0');
  expect(run('--force', '--name', 'web 1')).toEqual({ status: 0, err: '' });
  expect(readFileSync(join(folder, 'ran'), 'utf8')).toMatch(
    /^join --url https:\/\/gateway\.example\.test:9443 --pin 0{64} --code-file \/root\/code --force --name web 1$/m,
  );
});
