import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openProgramTrial, type ProgramTrial, type StartedProgram } from '../testing/programTrial.ts';
import { writeArchive } from './archive.ts';
import { finishRestore } from './finishRestore.ts';

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 240_000 };

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Changes a backup before it is read again. */
const UNRELIABLE = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const open = fs.createReadStream;
fs.createReadStream = (file, ...more) => {
  if (String(file).endsWith('.backup.part')) fs.appendFileSync(file, 'x');
  return open(file, ...more);
};
syncBuiltinESMExports();`;

let base: string;
let backend: Server;
let from: ProgramTrial;
let to: ProgramTrial;
let running: StartedProgram;
let file: string;
/** What opens backups for the recipient, which takes less time than a passphrase. */
let key: string[];
let recipient: string;
let nodeToken: string;
let apiToken: string;
let session: string;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-backup-'));
  const identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
  writeFileSync(join(base, 'identity'), `# a comment\n${identity}\n`);
  key = ['--identity', join(base, 'identity')];
  file = join(base, 'first.backup');
  backend = createServer((_, response) => response.end('backend')).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  from = await openProgramTrial();
  to = await openProgramTrial();
  running = await from.start();
  session = String((await from.signIn()).body['token']);
  await expose('steady');
  const { body: node } = await from.call('POST', '/api/nodes', { name: 'nas' });
  const { body: token } = await from.call('POST', `/api/nodes/${String(node['id'])}/pats`, { name: 'deploy' });
  nodeToken = String(token['token']);
  const { body: api } = await from.call('POST', '/api/tokens', { name: 'pipeline', scope: ['nodes:read'] });
  apiToken = String(api['token']);
  await from.call('POST', '/api/join-keys', { name: 'once' });
}, 120_000);
afterAll(async () => {
  await from.close();
  await to.close();
  backend.close();
  rmSync(base, { recursive: true });
});

const expose = (name: string) => {
  const { port: backendPort } = backend.address() as AddressInfo;
  const service = { name, domain: `${name}.example.test`, backendHost: '127.0.0.1', backendPort };
  return from.call('POST', '/api/services/1/http', service);
};
const restore = (path: string, ...more: string[]) =>
  to.start({}, { args: ['restore', path, ...(more.length === 0 ? key : more), '--yes'] });
const leftBehind = () => readdirSync(join(to.data, '..')).filter((name) => name !== 'data');

it('is of one moment while clients write, and another machine goes on with it', STARTS, async () => {
  let isWriting = true;
  let saved = 0;
  const writer = (async () => {
    for (; isWriting && saved < 500; saved += 1) expect((await expose(`s${saved}`)).status).toBe(200);
  })();
  const { code, err } = await from.start({}, { args: ['backup', file, '--recipient', recipient] });
  const atEnd = saved;
  isWriting = false;
  await writer;
  expect([code, err]).toEqual([0, expect.stringContaining('Reading it again')]);
  expect(atEnd).toBeGreaterThan(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(base).filter((name) => name.endsWith('.part'))).toEqual([]);
  expect(readdirSync(from.data).filter((name) => name.startsWith('backup-'))).toEqual([]);
  // As one who reads the disk sees it.
  expect(readFileSync(file).includes('steady')).toBe(false);
  const { body: nodes } = await from.call('GET', '/api/nodes');
  expect((await from.call('GET', '/api/join-keys')).body).toMatchObject([{ name: 'once' }]);

  const restored = await restore(file);
  expect(restored).toMatchObject({ code: 0, err: expect.stringContaining('"deploy" of the node "nas"') });
  expect(restored.err).toContain('"pipeline" of a program (API token)');
  expect(leftBehind()).toEqual([]);
  expect(await to.start()).toMatchObject({ code: null });
  expect(await to.visit('steady.example.test')).toBe('backend');
  expect((await to.call('GET', '/api/auth/me', undefined, nodeToken)).status).toBe(200);
  expect((await to.call('GET', '/api/nodes', undefined, apiToken)).status).toBe(200);
  // It began before the backup was made, and may have ended since.
  expect((await from.call('GET', '/api/nodes', undefined, session)).status).toBe(200);
  expect((await to.call('GET', '/api/nodes', undefined, session)).status).toBe(401);
  expect((await to.signIn()).status).toBe(200);
  // Its code may have been used since.
  expect((await to.call('GET', '/api/join-keys')).body).toEqual([]);
  const keysOf = (list: unknown) =>
    (list as { name: string; publicKey: string }[]).map((node) => [node.name, node.publicKey]);
  expect(keysOf((await to.call('GET', '/api/nodes')).body)).toEqual(keysOf(nodes));
  const services = (await to.call('GET', '/api/services/http')).body as unknown as { name: string }[];
  // All that were saved one after the other, up to that moment.
  const numbers = services.flatMap(({ name }) => /^s(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index));
});

it('refuses a directory that a gateway, or its nginx alone, is using', STARTS, async () => {
  expect(await restore(file)).toMatchObject({ code: 1, err: expect.stringContaining('is using') });
  const [pid] = /\d+/.exec(readFileSync(join(to.data, 'gateway.pid'), 'utf8')) ?? [''];
  process.kill(Number(pid), 'SIGKILL');
  await expect.poll(() => existsSync(`/proc/${pid}/exe`), { timeout: 20_000 }).toBe(false);
  expect(await restore(file)).toMatchObject({ code: 1, err: expect.stringContaining('is still serving') });
  expect(await to.visit('steady.example.test')).toBe('backend');
  const again = await to.start();
  expect(await again.end('SIGINT')).toBe(0);
});

it('is not used when it is damaged, cut, or opened with something else; what is there stays', STARTS, async () => {
  const before = readFileSync(join(to.data, 'sallyport.db'));
  const copy = join(base, 'copy.backup');
  const { size } = statSync(file);
  const other = join(base, 'other');
  writeFileSync(other, 'another one');
  const damages: [said: string, damage: () => void, opensWith: string[]][] = [
    ['damaged', () => flip(copy, Math.floor(size / 2)), key],
    ['damaged', () => flip(copy, size - 1), key],
    ['damaged', () => truncateSync(copy, size - 100), key],
    ['damaged', () => writeFileSync(copy, 'age-encryption.org/v1\n'), key],
    ['cannot be opened with that', () => undefined, ['--passphrase-file', other]],
  ];
  for (const [said, damage, opensWith] of damages) {
    writeFileSync(copy, readFileSync(file));
    damage();
    expect(await restore(copy, ...opensWith)).toMatchObject({ code: 1, err: expect.stringContaining(said) });
    expect(leftBehind()).toEqual([]);
  }
  expect(readFileSync(join(to.data, 'sallyport.db'))).toEqual(before);
});

function flip(path: string, at: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.from([(readFileSync(path)[at] ?? 0) ^ 1]), 0, 1, at);
  closeSync(descriptor);
}

it('writes nothing outside of its directory, whatever the archive says', STARTS, async () => {
  const inner = join(base, 'inner');
  mkdirSync(inner);
  writeFileSync(join(inner, 'evil'), 'evil');
  symlinkSync('/etc', join(inner, 'link'));
  for (const [index, words] of [
    ['-P', '--transform=s,^,../../,', 'evil'],
    ['-P', `--transform=s,^,${base}/out-,`, 'evil'],
    ['link'],
  ].entries()) {
    const packed = join(base, `evil${index}.tar.gz`);
    execFileSync('tar', ['-czf', packed, '-C', inner, ...words]);
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    const hostile = join(base, `evil${index}.backup`);
    writeFileSync(hostile, await encrypter.encrypt(readFileSync(packed)));
    expect(await restore(hostile)).toMatchObject({ code: 1, err: expect.stringContaining('damaged') });
  }
  // It ends with a failure where a folder of another test goes meanwhile.
  const { stdout: found } = spawnSync('find', [tmpdir(), '-maxdepth', '3', '-name', '*evil', '-newer', file], {
    encoding: 'utf8',
  });
  expect(found.trim().split('\n')).toEqual([join(inner, 'evil')]);
});

/** Copies the database of the running gateway, with what is yet to be written into its file. */
function copyRunning(copy: string): void {
  const database = new Sqlite(join(from.data, 'sallyport.db'));
  database.prepare('vacuum into ?').run(copy);
  database.close();
}

it('of a newer version changes nothing', STARTS, async () => {
  const stage = join(base, 'stage');
  mkdirSync(stage);
  copyRunning(join(stage, 'sallyport.db'));
  const database = new Sqlite(join(stage, 'sallyport.db'));
  database.pragma('user_version = 9999');
  database.close();
  const newer = join(base, 'newer.backup');
  const lock = { recipient };
  await writeArchive(stage, createWriteStream(newer), {
    lock,
    version: '9.0.0',
    now: new Date(),
    told: () => undefined,
  });
  expect(await restore(newer)).toMatchObject({ code: 1, err: expect.stringMatching(/newer/) });
  expect(leftBehind()).toEqual([]);
});

it('opens with the passphrase that it was encrypted with, and keeps what was there', STARTS, async () => {
  const passphrase = join(base, 'passphrase');
  writeFileSync(passphrase, 'the door opens from inside\nnot of it\n');
  const other = join(base, 'other.backup');
  const args = ['backup', other, '--passphrase-file', passphrase];
  expect(await from.start({}, { args })).toMatchObject({ code: 0, err: expect.stringContaining('Done') });
  expect(await from.start({}, { args })).toMatchObject({ code: 1, err: expect.stringContaining('is there already') });
  expect(await restore(other, '--passphrase-file', passphrase)).toMatchObject({ code: 0 });
  const [kept = ''] = leftBehind();
  expect(readdirSync(join(to.data, '..', kept))).toContain('sallyport.db');
  expect(await to.start()).toMatchObject({ code: null });
  expect(await to.visit('steady.example.test')).toBe('backend');
  expect(await running.end('SIGINT')).toBe(0);
});

it('is named after the time in a directory, of which the newest are kept, and check says when it was made', async () => {
  const directory = join(base, 'nightly');
  mkdirSync(directory);
  const old = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => `sallyport-${day}T00-00-00Z.backup`);
  for (const name of [...old, 'other.backup']) writeFileSync(join(directory, name), '');
  const args = ['backup', directory, '--recipient', recipient, '--keep', '2'];
  expect(await from.start({}, { args })).toMatchObject({ code: 0 });
  expect(readdirSync(directory).toSorted()).toEqual([
    'other.backup',
    old[2],
    expect.stringMatching(/^sallyport-20\d\d-/),
  ]);
  const { out } = await from.start({}, { args: ['check'] });
  expect(out).toContain(`, ${join(directory, readdirSync(directory).toSorted().at(-1) ?? '')}`);
  expect(out).toMatch(/^ok +backup +the last one was made .*, at 20/m);
  expect(await from.start({}, { args: ['backup', file, '--keep', '0'] })).toMatchObject({ code: 2 });
});

it(
  'that was killed leaves what says what it is, is taken for no backup, and is not in the way of the next',
  STARTS,
  async () => {
    const directory = join(base, 'killed-backup');
    const target = join(directory, 'whole.backup');
    mkdirSync(directory);
    const lines = new Sqlite(join(from.data, 'logs', 'lines.db'));
    lines.exec('create table if not exists ballast (bytes); insert into ballast select randomblob(30000000)');
    lines.close();
    const args = ['backup', target, '--recipient', recipient, '--logs'];
    const child = spawn(process.execPath, ['--conditions=source', MAIN, ...args], {
      env: { ...process.env, SALLYPORT_DATA: from.data },
      stdio: 'ignore',
    });
    const stages = () => readdirSync(from.data).filter((name) => name.startsWith('backup-'));
    const watcher = watch(directory, () => void child.kill('SIGSTOP'));
    await once(watcher, 'change');
    watcher.close();
    const stopped = stages();
    expect(stopped).toHaveLength(1);
    // Another backup at the same time leaves alone what this one has copied.
    const other = await from.start({}, { args: ['backup', join(base, 'same-time.backup'), '--recipient', recipient] });
    expect([other.code, stages()]).toEqual([0, stopped]);
    // Nor does it take its file, however long that has not grown.
    const part = `${target}.part`;
    utimesSync(part, 1, 1);
    const same = { code: 1, err: expect.stringContaining(`is being written by another backup (process ${child.pid})`) };
    expect(await from.start({}, { args })).toMatchObject(same);
    child.kill('SIGKILL');
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(readdirSync(directory)).toEqual(['whole.backup.part']);
    const elsewhere = { SALLYPORT_DATA: join(base, 'elsewhere') };
    const restored = await to.start(elsewhere, { args: ['restore', part, ...key, '--yes'] });
    expect(restored).toMatchObject({ code: 1, err: expect.stringContaining('damaged') });
    const sideways = join(directory, 'other.backup');
    writeFileSync(`${sideways}.part`, 'of another gateway');
    const foreign = await from.start({}, { args: ['backup', sideways, '--recipient', recipient] });
    expect(foreign).toMatchObject({ code: 1, err: expect.stringContaining('no backup of this gateway writes it') });
    expect(readdirSync(directory)).toEqual(['other.backup.part']);
    expect(await from.start({}, { args })).toMatchObject({ code: 0 });
    expect(readdirSync(directory)).toEqual(['other.backup.part', 'whole.backup']);
    expect(stages()).toEqual([]);
  },
);

it('is refused where the disk gives back something else than was written, and leaves nothing', STARTS, async () => {
  const directory = join(base, 'unreliable');
  mkdirSync(directory);
  const preloaded = `--import data:text/javascript,${encodeURIComponent(UNRELIABLE)}`;
  const args = ['backup', join(directory, 'whole.backup'), '--recipient', recipient];
  const { code, err } = await from.start({ NODE_OPTIONS: preloaded }, { args });
  expect([code, err]).toEqual([1, expect.stringContaining('whole.backup.part cannot be read again. Choose another')]);
  expect(readdirSync(directory)).toEqual([]);
});

it('is not made of a database that is damaged or cut', STARTS, async () => {
  const copy = join(base, 'source.db');
  copyRunning(copy);
  const source = readFileSync(copy);
  const cut = source.subarray(0, Math.floor(source.length / 2));
  const scrambled = Buffer.concat([source.subarray(0, 5000), Buffer.alloc(source.length - 5000, 7)]);
  for (const [name, content] of Object.entries({ cut, scrambled })) {
    const data = join(base, name);
    mkdirSync(data);
    writeFileSync(join(data, 'sallyport.db'), content);
    const target = join(base, `${name}.backup`);
    const args = ['backup', target, '--recipient', recipient];
    const { code, err } = await from.start({ SALLYPORT_DATA: data }, { args });
    expect([name, code, err]).toEqual([name, 1, expect.stringContaining('is damaged. It was left as it is')]);
    expect(readdirSync(base).filter((each) => each.startsWith(`${name}.backup`))).toEqual([]);
    expect(readdirSync(data).filter((each) => each.startsWith('backup-'))).toEqual([]);
    expect(readFileSync(join(data, 'sallyport.db')).equals(content)).toBe(true);
  }
});

it('is not made without the key that its secrets are sealed with, and says so', STARTS, async () => {
  const data = join(base, 'keyless');
  mkdirSync(data);
  copyRunning(join(data, 'sallyport.db'));
  const target = join(base, 'keyless.backup');
  const args = ['backup', target, '--recipient', recipient];
  const { code, err } = await from.start({ SALLYPORT_DATA: data }, { args });
  expect([code, err]).toEqual([1, expect.stringContaining(`${data}/secrets/vault.key is missing`)]);
  expect(err).not.toContain('    at ');
  expect(existsSync(target)).toBe(false);
});

it('is in its place after a restore that was killed between its last two steps', () => {
  const directory = join(base, 'killed');
  mkdirSync(`${directory}.restoring`);
  writeFileSync(join(`${directory}.restoring`, 'sallyport.db'), 'new');
  // Killed before all of it was unpacked: it is not used.
  finishRestore(directory);
  expect(existsSync(directory)).toBe(false);
  writeFileSync(join(`${directory}.restoring`, 'complete'), '');
  finishRestore(directory);
  expect(readdirSync(directory)).toEqual(['sallyport.db']);
  renameSync(directory, `${directory}.restoring`);
  mkdirSync(directory);
  finishRestore(directory);
  expect(readdirSync(directory)).toEqual([]);
});
