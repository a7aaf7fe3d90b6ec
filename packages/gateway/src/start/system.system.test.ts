import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDataDirectory } from '../machine/dataDirectory.ts';
import { createMemoryVault } from '../vault/keyVault.ts';
import { everyLog } from '../testing/logTrial.ts';
import { openSystem } from './system.ts';

const LOGS = {
  historyBytes: 1_000_000,
  known: everyLog(),
  notices: { info: () => undefined, warn: () => undefined },
};

const ACME = () => ({ authority: 'https://authority.test/directory', email: null });

it('opens every part in a new data directory, and again', async () => {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-system-'));
  chmodSync(base, 0o711);
  const data = openDataDirectory(join(base, 'data'));
  const first = await openSystem(data, createMemoryVault(), LOGS, ACME, [], null);
  const { certificate } = await first.certificates.ensureSelfSigned(['app.example.test']);
  expect(certificate).toBe(join(data.secrets, 'certificates', 'app.example.test', 'pair.pem'));
  expect(await first.ingress.running()).toBe(false);
  expect((await first.logs.open({ kind: 'http', id: 1 }, { count: 10, afterId: null })).resumed).toBe(false);
  expect(await first.names.resolve('192.0.2.1')).toEqual(['192.0.2.1']);
  expect(first.tunnel.status().available).toBe(false);
  const second = await openSystem(data, createMemoryVault(), LOGS, ACME, [], null);
  for (const { ingress, logs } of [first, second]) {
    ingress.close();
    await logs.close();
  }
  data.close();
  rmSync(base, { recursive: true, force: true });
});
