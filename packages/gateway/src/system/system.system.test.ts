import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDataDirectory } from './dataDirectory.ts';
import { Secret } from './secret.ts';
import { openSystem } from './system.ts';

const LOGS = {
  historyBytes: 1_000_000,
  isKnown: () => true,
  notices: { info: () => undefined, warn: () => undefined },
};

const ACME = { authority: 'https://authority.test/directory', email: null };

it('opens every part in a new data directory, and what was sealed there opens the next time', async () => {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-system-'));
  chmodSync(base, 0o711);
  const data = openDataDirectory(join(base, 'data'));
  const first = await openSystem(data, null, LOGS, ACME, null);
  const sealed = first.vault.seal(new Secret('private'));
  const { certificate } = await first.certificates.ensureSelfSigned(['app.example.test']);
  expect(certificate).toBe(join(data.secrets, 'certificates', 'app.example.test', 'pair.pem'));
  expect(await first.ingress.running()).toBe(false);
  expect((await first.logs.open({ kind: 'http', id: 1 }, { count: 10, afterId: null })).resumed).toBe(false);
  expect(await first.names.resolve('192.0.2.1')).toEqual(['192.0.2.1']);
  expect(first.tunnel.status().available).toBe(false);
  const second = await openSystem(data, null, LOGS, ACME, null);
  expect(second.vault.open(sealed).reveal()).toBe('private');
  for (const { ingress, logs } of [first, second]) {
    ingress.close();
    await logs.close();
  }
  data.close();
  rmSync(base, { recursive: true, force: true });
});

it('keeps the key of the vault where the administrator wants it, and never makes a second one beside it', async () => {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-system-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  chmodSync(base, 0o711);
  const data = openDataDirectory(join(base, 'data'));
  onTestFinished(data.close);
  const [usual, elsewhere] = [join(data.secrets, 'vault.key'), join(base, 'kept.key')];
  const seal = async (keyFile: string | null, sealed: string | null): Promise<string> => {
    const { vault, ingress, logs } = await openSystem(data, keyFile, LOGS, ACME, null);
    ingress.close();
    await logs.close();
    return sealed === null ? vault.seal(new Secret('private')) : vault.open(sealed).reveal();
  };
  const sealed = await seal(null, null);
  await expect(seal(elsewhere, sealed)).rejects.toThrow(
    `The key file ${elsewhere} is not there, but ${usual} is. Move it there, then start again.`,
  );
  renameSync(usual, elsewhere);
  expect(await seal(elsewhere, sealed)).toBe('private');
  expect([existsSync(usual), statSync(elsewhere).mode & 0o777]).toEqual([false, 0o600]);
});
