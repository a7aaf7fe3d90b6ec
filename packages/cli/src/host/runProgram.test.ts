import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { lockDirectory } from './runProgram.ts';

let directory: string;
const env = { PATH: '/usr/bin:/bin' };
const lock = (maxMs?: number) => lockDirectory('flock', directory, env, maxMs);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-lock-'));
  return () => rmSync(directory, { recursive: true });
});

it('is held by one at a time, and leaves nothing', async () => {
  const order: string[] = [];
  const letGo = await lock();
  const second = lock().finally(() => order.push('second'));
  await expect(lock(100)).rejects.toThrow('Another sallyport command is busy with the tunnel of this host.');
  order.push('first');
  letGo();
  (await second)();
  expect(order).toEqual(['first', 'second']);
  expect(readdirSync(directory)).toEqual([]);
});

it('says so when there is nothing to hold', async () => {
  const gone = join(directory, 'gone', 'below');
  await expect(lockDirectory('flock', gone, env)).rejects.toThrow(`The directory ${gone} could not be locked.`);
});

it('is free again when its holder is killed', async () => {
  const url = JSON.stringify(new URL('runProgram.ts', import.meta.url).href);
  const program = `const { lockDirectory } = await import(${url});
    await lockDirectory('flock', ${JSON.stringify(directory)}, ${JSON.stringify(env)});
    process.stdout.write('held'); process.stdin.resume();`;
  const holder = spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  await expect(lock(100)).rejects.toThrow('busy');
  const waiting = lock();
  holder.kill('SIGKILL');
  (await waiting)();
});
