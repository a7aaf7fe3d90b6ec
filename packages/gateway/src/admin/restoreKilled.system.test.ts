import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { openProgramTrial } from '../testing/programTrial.ts';

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 240_000 };
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const BALLAST_BYTES = 20_000_000;

it('a restore that is killed in the middle of unpacking changes nothing, and the next one works', STARTS, async () => {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-killed-'));
  const trial = await openProgramTrial();
  onTestFinished(async () => {
    await trial.close();
    rmSync(base, { recursive: true });
  });
  const identity = await generateX25519Identity();
  writeFileSync(join(base, 'identity'), identity);
  const file = join(base, 'whole.backup');
  const args = ['restore', '--identity', join(base, 'identity'), '--yes'];
  const make = async (name: string) => expect((await trial.call('POST', '/api/nodes', { name })).status).toBe(200);
  const nodes = async () => {
    const running = await trial.start();
    await trial.signIn();
    const { body } = await trial.call('GET', '/api/nodes');
    expect(await running.end('SIGINT')).toBe(0);
    return (body as unknown as { name: string }[]).map(({ name }) => name).toSorted();
  };

  const first = await trial.start();
  await trial.signIn();
  await make('before');
  const lines = new Sqlite(join(trial.data, 'logs', 'lines.db'));
  lines.exec(`create table ballast (bytes); insert into ballast select randomblob(${BALLAST_BYTES})`);
  lines.close();
  const recipient = await identityToRecipient(identity);
  expect(await trial.start({}, { args: ['backup', file, '--recipient', recipient, '--logs'] })).toMatchObject({
    code: 0,
  });
  await make('since');
  expect(await first.end('SIGINT')).toBe(0);

  const content = readFileSync(file);
  const database = readFileSync(join(trial.data, 'sallyport.db'));
  const stage = `${trial.data}.restoring`;
  const there = () => readdirSync(dirname(trial.data)).toSorted();
  for (const part of [0.05, 0.5, 1 - 1 / content.length]) {
    const child = spawn(process.execPath, ['--conditions=source', MAIN, ...args, '-'], {
      env: { ...process.env, SALLYPORT_DATA: trial.data },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    // The rest of the backup is yet to come when it is killed, and then no one reads what has.
    child.stdin.on('error', () => undefined).write(content.subarray(0, Math.floor(content.length * part)));
    const least = (content.length * part) / 2;
    await expect.poll(() => unpackedBytes(stage), { timeout: 20_000 }).toBeGreaterThan(least);
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(there()).toEqual(['data', 'data.restoring']);
    expect(readFileSync(join(trial.data, 'sallyport.db'))).toEqual(database);
  }
  expect(await nodes()).toEqual(['Local', 'before', 'since']);
  expect(await trial.start({}, { args: [...args, file] })).toMatchObject({ code: 0 });
  expect(there()).toEqual(['data', expect.stringMatching(/^data\.before-/)]);
  expect(await nodes()).toEqual(['Local', 'before']);
  expect(statSync(join(trial.data, 'logs', 'lines.db')).size).toBeGreaterThan(BALLAST_BYTES);
});

/** How much of a backup was unpacked. */
const unpackedBytes = (directory: string): number =>
  (existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : [])
    .map((name) => statSync(join(directory, name)).size)
    .reduce((sum, size) => sum + size, 0);
