import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';

// A terminal that is closed hangs up the programs that were started on it.

/** Each has one start of the program, also on a busy machine. */
const STARTS = { timeout: 120_000 };

let trial: ProgramTrial;
beforeEach(async () => {
  trial = await openProgramTrial();
});
afterEach(() => trial.close());

/** The check of a password takes longer than an end that has begun leaves open what listens. */
async function expectAnswers(): Promise<void> {
  expect((await trial.signIn('wrong')).status).toBe(401);
  expect((await trial.signIn()).status).toBe(200);
  expect((await trial.call('GET', '/api/auth/me')).status).toBe(200);
}

it('goes on when it is hung up, and ends by SIGTERM as ever', STARTS, async () => {
  const started = await trial.start();
  process.kill(started.pid, 'SIGHUP');
  await expectAnswers();
  expect(await started.end('SIGTERM')).toBe(0);
  expect(trial.nginx()).not.toBeNull();
});

it('goes on when its terminal is closed, where no one reads what it says any more', STARTS, async () => {
  const started = await trial.start({ SALLYPORT_LOG_LEVEL: 'info' }, { typed: '' });
  const { pid } = JSON.parse(readFileSync(join(trial.data, 'gateway.start'), 'utf8')) as { pid: number };
  expect(pid).not.toBe(started.pid);
  // It is the other side of the terminal that ends.
  await started.end('SIGKILL');
  await expectAnswers();
  process.kill(pid, 'SIGINT');
  await expect.poll(() => existsSync(`/proc/${pid}/exe`), { timeout: 30_000 }).toBe(false);
  expect(trial.nginx()).toBeNull();
});
