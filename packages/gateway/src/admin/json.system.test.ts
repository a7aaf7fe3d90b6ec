import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { expect, it, onTestFinished } from 'vitest';
import { openProgramTrial } from '../testing/programTrial.ts';

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 300_000 };

it(
  'is one object on standard output for each command, with no secret but the password that was asked for',
  STARTS,
  async () => {
    const base = mkdtempSync(join(tmpdir(), 'sallyport-json-'));
    const trial = await openProgramTrial();
    onTestFinished(async () => {
      await trial.close();
      rmSync(base, { recursive: true });
    });
    const identity = await generateX25519Identity();
    writeFileSync(join(base, 'identity'), identity);
    const file = join(base, 'a.backup');
    let env: NodeJS.ProcessEnv = {};
    const json = async (...args: string[]) => {
      const { code, out, err } = await trial.start(env, { args: [...args, '--json'] });
      expect([code, err]).toEqual([0, expect.any(String)]);
      return { out, object: JSON.parse(out) as Record<string, unknown> };
    };

    const running = await trial.start();
    const { object: reset } = await json('reset-password');
    expect(Object.keys(reset)).toEqual(['username', 'password']);
    expect((await trial.signIn(String(reset['password']))).status).toBe(200);
    env = { SALLYPORT_VPN_HOST: 'gateway.example.com', SALLYPORT_OIDC_CLIENT_SECRET: 'of the provider' };
    const backup = await json('backup', file, '--recipient', await identityToRecipient(identity));
    expect(backup.object).toEqual({
      file,
      bytes: readFileSync(file).length,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      createdAt: expect.stringMatching(/^20\d\d-.*Z$/),
      files: expect.arrayContaining(['sallyport.db', 'secrets/vault.key']),
    });
    expect(await running.end('SIGINT')).toBe(0);
    const key = readFileSync(join(trial.data, 'secrets/vault.key'), 'utf8').trim();
    env = {};
    const restore = await json('restore', file, '--identity', join(base, 'identity'), '--yes');
    expect(restore.object).toMatchObject({
      state: 'made',
      from: { version: backup.object['version'], createdAt: backup.object['createdAt'] },
      nodes: 0,
      tokens: [],
      settings: [
        { name: 'SALLYPORT_VPN_HOST', there: 'gateway.example.com', here: expect.anything(), isSecret: false },
        { name: 'SALLYPORT_OIDC_CLIENT_SECRET', there: '', here: null, isSecret: true },
      ],
      directory: trial.data,
      keptAs: expect.stringContaining(`${trial.data}.before-`),
    });
    for (const secret of [String(reset['password']), key, identity, 'of the provider']) {
      expect(backup.out + restore.out).not.toContain(secret);
    }
    expect(Object.keys((await json('version')).object)).toEqual(['version']);
  },
);
