import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_CODES } from './exitCodes.ts';
import { openProgramTrial, type ProgramTrial } from './testing/programTrial.ts';

const { done, failed, usage, interrupted } = EXIT_CODES;
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
let base: string;
let trial: ProgramTrial;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-exit-'));
  writeFileSync(join(base, 'empty'), '');
  writeFileSync(join(base, 'Caddyfile'), 'a.example.test {\n  reverse_proxy 127.0.0.1:80\n}\n');
  trial = await openProgramTrial();
});
afterAll(async () => {
  await trial.close();
  rmSync(base, { recursive: true });
});

/** Of a command as it is written; `BASE` is the directory of this test. No gateway runs, and there is none. */
const run = (written: string, env: NodeJS.ProcessEnv = {}) =>
  trial.start(env, { args: written.split(' ').map((word) => word.replace('BASE', base)) });

describe('the exit code', () => {
  it.each([
    ['version --json', done],
    ['nonsense', usage],
    ['import', usage],
    ['backup', usage],
    ['backup BASE/file --recipient age1 --passphrase-file BASE/empty', usage],
    ['backup - --recipient age1 --json', usage],
    ['backup BASE/file --passphrase-file BASE/empty', usage],
    ['restore BASE/empty', usage],
    ['backup BASE/file --recipient age1', failed],
    ['restore BASE/none --identity BASE/empty', failed],
    ['reset-password', failed],
    ['import nginx-proxy-manager BASE/none', failed],
    ['import nginx-proxy-manager BASE/empty', failed],
    ['import caddyfile BASE/none', failed],
    ['import caddyfile BASE/Caddyfile', failed],
    ['health', failed],
  ])('of %s is that of its table', { timeout: 60_000 }, async (written, { code }) => {
    const { code: found, out, err } = await run(written);
    expect([found, out !== '', err !== '']).toEqual([
      code,
      code === 0 || written === 'health',
      code !== 0 && written !== 'health',
    ]);
    // A sentence, and no stack.
    expect(err).not.toMatch(/^ {4}at /m);
  });

  it('is 1 where settings cannot be read, for all that read them', { timeout: 60_000 }, async () => {
    const env = { SALLYPORT_HTTP_PORT: '80a' };
    for (const written of ['start', 'check', 'backup BASE/file --recipient age1']) {
      expect(await run(written, env), written).toMatchObject({ code: failed.code });
    }
  });

  it.each([
    ['Ctrl+C', '\u0003', interrupted],
    ['the end of the input', '\u0004', usage],
  ])('at a question that is answered with %s says so', { timeout: 60_000 }, async (_, key, { code }) => {
    const command = `${process.execPath} --conditions=source ${MAIN} restore ${join(base, 'empty')}`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      env: { ...process.env, SALLYPORT_DATA: trial.data },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      if (part.includes('Passphrase of the backup: ')) child.stdin.write(key);
    });
    expect(await once(child, 'close')).toEqual([code, null]);
    expect(said).not.toContain('unsettled');
  });
});
