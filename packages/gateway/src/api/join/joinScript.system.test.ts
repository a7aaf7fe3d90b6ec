import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { joinScript } from './joinScript.ts';

const PLACE = { vpnHost: 'gateway.example.test', consolePort: 9443, keyPin: Buffer.alloc(32).toString('base64') };
const VERSION = '1.2.3';
const PACKAGES = new Map(['amd64', 'arm64'].map((each) => [each, { version: VERSION, bytes: 29_400_000 }]));
const URL = 'https://gateway.example.test:9443';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-script-'));
  for (const name of ['dpkg', 'apt-get', 'wg', 'wg-quick', 'ip', 'nft', 'wireguard-go']) program(name, 'exit 0');
  program('id', 'echo 0');
  program('sallyport', `[ "$1" != --version ] || exec cat '${folder}/version'; echo "$*" >> '${folder}/ran'`);
  program('curl', `echo curl >> '${folder}/ran'`);
  hasVersion('1.0.0');
  return () => rmSync(folder, { recursive: true });
});

const program = (name: string, text: string) =>
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });

const hasVersion = (version: string) => writeFileSync(join(folder, 'version'), `${version}\n`);
/** What was run of the command, and of curl. */
const ran = () => (existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8') : '');
const isNode = (url = 'https://other.test:9443') =>
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ version: 1, url, token: 'spn_none' }));
const settings = () => ({ PATH: `${folder}:/usr/bin:/bin`, SALLYPORT_CONFIG: join(folder, 'config.json') });

/** Runs the script as the line does, on a machine whose programs are those above; without a terminal. */
function run(words: string[] = [], more: object = {}): { status: number | null; out: string; err: string } {
  const env = { ...settings(), SALLYPORT_CODE_FILE: '/root/code', ...more };
  const input = joinScript(PLACE, PACKAGES);
  const ended = spawnSync('/bin/sh', ['-s', '--', ...words], { input, encoding: 'utf8', env });
  return { status: ended.status, out: ended.stdout, err: ended.stderr };
}

/** The same at a terminal, where someone types. */
function runAtTerminal(typed: string): { status: number | null; out: string } {
  writeFileSync(join(folder, 'script'), joinScript(PLACE, PACKAGES));
  const line = ['--quiet', '--return', '--command', `sh -s < '${folder}/script'`, '/dev/null'];
  const ended = spawnSync('script', line, { input: typed, encoding: 'utf8', env: settings() });
  return { status: ended.status, out: ended.stdout };
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
  expect(run(['--force', '--name', 'web 1'])).toMatchObject({ status: 0, err: '' });
  expect(ran()).toMatch(
    /^join --url https:\/\/gateway\.example\.test:9443 --pin 0{64} --code-file \/root\/code --force --name web 1$/m,
  );
});

it('says what it fetches, and how much', () => {
  expect(run().out).toContain(`Downloading sallyport (30 MB) from ${URL}.\nInstalled 1.0.0.\n`);
});

it('installs no version that is there already', () => {
  hasVersion(VERSION);
  program('dpkg', `echo dpkg >> '${folder}/ran'`);
  const { status, out } = run();
  expect({ status, out }).toEqual({
    status: 0,
    out: expect.stringContaining(
      'Sallyport 1.2.3 is installed already; to install it again, end the line with: | sudo SALLYPORT_REINSTALL=1 sh\n',
    ),
  });
  expect(ran()).toMatch(/^join [^\n]*\n/);
  expect(ran()).not.toMatch(/curl|dpkg/);
});

it('installs the same version again when told, as another build of it', () => {
  hasVersion(VERSION);
  program('dpkg', `echo dpkg >> '${folder}/ran'`);
  expect(run([], { SALLYPORT_REINSTALL: '1' })).toMatchObject({
    status: 0,
    out: expect.stringContaining(`Installed ${VERSION}.`),
  });
  expect(ran()).toMatch(/^curl\ndpkg\njoin /);
});

it('changes nothing on a host that is a node, unless that may be replaced', () => {
  isNode();
  expect(run()).toEqual({
    status: 1,
    out: '',
    err: 'sallyport: This host is a node of https://other.test:9443 already. Give --force to replace that. The line that the console shows takes it at its end: `| sudo sh -s -- --force`.\n',
  });
  const refused = runAtTerminal('n\n');
  expect(refused.out).toContain('This host is a node of https://other.test:9443 already. Replace that [y/N] ');
  expect(refused.out).toContain('sallyport: Nothing was changed.');
  expect(refused.status).toBe(1);
  expect(ran()).toBe('');
  expect(runAtTerminal('y\n').status).toBe(0);
  expect(ran()).toMatch(/^curl\njoin --url \S+ --pin 0{64} --force$/m);
});

it('brings a host that is a node of this gateway up to date, and leaves it the node that it is', () => {
  isNode(URL);
  const kept = runAtTerminal('n\n');
  expect(kept.out).toContain('Without replacing it, only the command is updated. Replace that [y/N] ');
  expect(kept.out).toContain('Installed 1.0.0.');
  expect(kept.out).toContain('This host stays the node that it is.');
  expect(kept.status).toBe(0);
  expect(ran()).not.toContain('join');
});

it('installs all programs that are missing at once, and nothing that is only recommended', () => {
  for (const name of ['wg', 'ip', 'nft', 'wireguard-go']) rmSync(join(folder, name));
  for (const name of ['sh', 'cat', 'mktemp', 'rm', 'uname']) symlinkSync(join('/bin', name), join(folder, name));
  program('modprobe', 'exit 0');
  program('apt-get', `echo "apt-get $*" >> '${folder}/ran'`);
  expect(run([], { PATH: folder })).toMatchObject({ status: 0, err: '' });
  expect(ran()).toMatch(
    /^curl\napt-get update -qq\napt-get install -qq -y --no-install-recommends wireguard-tools iproute2 nftables\njoin /,
  );
});

it('installs the programs that are missing quietly, unless it cannot', () => {
  rmSync(join(folder, 'wg'));
  for (const name of ['sh', 'cat', 'mktemp', 'rm', 'uname']) symlinkSync(join('/bin', name), join(folder, name));
  const apt = `[ "$1" = update ] || echo "debconf: $DEBIAN_FRONTEND, delayed" >&2`;
  program('apt-get', apt);
  expect(run([], { PATH: folder })).toMatchObject({
    status: 0,
    out: expect.stringContaining('\nInstalling wireguard-tools.\n'),
    err: '',
  });
  program('apt-get', `${apt}; [ "$1" = update ]`);
  expect(run([], { PATH: folder })).toMatchObject({
    status: 1,
    err: 'debconf: noninteractive, delayed\nsallyport: apt could not install wireguard-tools. Repair that, then run the line again.\n',
  });
});
