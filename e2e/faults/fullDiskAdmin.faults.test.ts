import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openProgramTrial, type ProgramTrial } from '../../packages/gateway/src/testing/programTrial.ts';
import { makeWiredoorDirectory } from '../../packages/gateway/src/testing/wiredoorDirectory.ts';
import { mountTmpfs, type Tmpfs } from '../support/tmpfs.ts';

const STARTS = { timeout: 240_000 };
const trialDisk = await mountTmpfs(1);
await trialDisk?.unmount();
const problem = trialDisk === null ? 'only root can mount a disk to be filled, and not in every container' : null;
if (problem !== null) process.stdout.write(`What an administrator does on a full disk is not tried: ${problem}.\n`);

let disk: Tmpfs;
let base: string;
let trial: ProgramTrial;
let lock: string[];

beforeEach(async () => {
  const mounted = await mountTmpfs(24);
  if (mounted === null) throw new Error('The disk cannot be mounted a second time.');
  disk = mounted;
  base = mkdtempSync(path.join(tmpdir(), 'sallyport-full-'));
  writeFileSync(path.join(base, 'passphrase'), 'the door opens from inside\n');
  lock = ['--passphrase-file', path.join(base, 'passphrase')];
  // The disk itself, as a volume is.
  trial = await openProgramTrial(disk.directory);
});
afterEach(async () => {
  await disk.empty();
  await trial.close();
  rmSync(base, { recursive: true });
  await disk.unmount();
});

const noRoom = { code: 1, err: expect.stringContaining('There is no room left') };
const services = async () => (await trial.call('GET', '/api/services/http?search=example.test')).body;

test.skipIf(problem !== null)(
  'a backup, and a restore of a volume, end with a sentence and change nothing',
  STARTS,
  async () => {
    const first = await trial.start();
    await trial.signIn();
    const target = path.join(disk.directory, 'here.backup');
    const elsewhere = path.join(base, 'elsewhere.backup');
    await disk.fill(64 * 1024);
    const backup = (file: string) => trial.start({}, { args: ['backup', file, ...lock] });
    expect(await backup(target)).toMatchObject(noRoom);
    expect(readdirSync(disk.directory).filter((name) => /^(?:here|backup-)/.test(name))).toEqual([]);
    await disk.empty();
    expect(await backup(elsewhere)).toMatchObject({ code: 0 });
    await first.end('SIGINT');

    const restore = () => trial.start({}, { args: ['restore', elsewhere, ...lock, '--yes'] });
    const before = readFileSync(path.join(disk.directory, 'sallyport.db'));
    await disk.fill(64 * 1024);
    expect(await restore()).toMatchObject(noRoom);
    expect(readFileSync(path.join(disk.directory, 'sallyport.db'))).toEqual(before);
    expect(existsSync(path.join(disk.directory, '.restoring'))).toBe(false);
    await disk.empty();
    expect(await restore()).toMatchObject({ code: 0 });
    expect(readdirSync(disk.directory).filter((name) => name.startsWith('.'))).toEqual([
      expect.stringMatching(/^\.before-/),
    ]);
    expect(await trial.start()).toMatchObject({ code: null });
  },
);

test.skipIf(problem !== null)(
  'an import of a Wiredoor server onto a volume ends with a sentence, and works once there is room',
  STARTS,
  async () => {
    const wg_interfaces = { subnet: '198.18.200.0/24', address: '198.18.200.1/24' };
    const source = makeWiredoorDirectory(path.join(base, 'wiredoor'), {
      wg_interfaces,
      nodes: [{ name: 'edge', address: '198.18.200.2' }],
    });
    const settings = {
      SALLYPORT_VPN_SUBNET: '198.18.200.0/24',
      SALLYPORT_TUNNEL: 'on',
      SALLYPORT_HTTPS_PORT: '443',
      SALLYPORT_WIREDOOR_CLIENTS: 'on',
    };
    const apply = () => trial.start(settings, { args: ['import', 'wiredoor', source.path, '--apply'] });
    await disk.fill(32 * 1024);
    expect(await apply()).toMatchObject({ ...noRoom, out: '' });
    expect(readdirSync(disk.directory)).toEqual(['lost+found']);
    await disk.empty();
    expect(await apply()).toMatchObject({ code: 0 });
    expect(existsSync(path.join(disk.directory, 'sallyport.db'))).toBe(true);
  },
);

test.skipIf(problem !== null)(
  'imports of services say of each that it was not made, and make it once there is room',
  STARTS,
  async () => {
    await trial.start();
    await trial.signIn();
    const caddyfile = path.join(base, 'Caddyfile');
    // More than the room that a gateway keeps back.
    const count = 40;
    const sites = Array.from(
      { length: count },
      (_, index) => `s${index}.example.test {\n  reverse_proxy 127.0.0.1:9\n}\n`,
    );
    writeFileSync(caddyfile, sites.join(''));
    const database = path.join(base, 'npm.sqlite');
    const schema =
      'create table proxy_host (id integer primary key, domain_names json, forward_host varchar, forward_port int)';
    const row = `insert into proxy_host values (1, '["npm.example.test"]', '127.0.0.1', 9)`;
    execFileSync(process.execPath, [
      '-e',
      `const { DatabaseSync } = require('node:sqlite'); const d = new DatabaseSync(process.argv[1]); d.exec(process.argv[2])`,
      database,
      `${schema}; ${row}`,
    ]);
    await disk.fill();
    rmSync(path.join(disk.directory, 'reserve'), { force: true });
    await disk.fill();
    for (const args of [
      ['caddyfile', caddyfile],
      ['nginx-proxy-manager', database],
    ]) {
      const { code, out, err } = await trial.start({}, { args: ['import', ...args, '--apply'] });
      expect([args[0], code]).toEqual([args[0], 1]);
      expect(`${out}${err}`).toMatch(/not made: https|There is no room left|is full, so nothing was saved/);
      expect(`${out}${err}`).not.toMatch(/^\s+at /m);
    }
    await disk.empty();
    await trial.signIn();
    const made = (await services()) as unknown as unknown[];
    expect(made.length).toBeLessThan(count);
    for (const args of [
      ['caddyfile', caddyfile],
      ['nginx-proxy-manager', database],
    ]) {
      expect(await trial.start({}, { args: ['import', ...args, '--apply'] })).toMatchObject({ code: 0 });
    }
    expect(await services()).toHaveLength(count + 1);
  },
);
