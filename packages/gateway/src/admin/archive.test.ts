import {
  chmodSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../vault/secret.ts';
import { readArchive, writeArchive } from './archive.ts';

// Who restores a backup may have it from someone else.

let base: string;
beforeAll(() => (base = mkdtempSync(join(tmpdir(), 'sallyport-archive-'))));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Writes a backup of these files, each with this mode, and unpacks it. @returns where it was unpacked */
async function restored(label: string, files: readonly string[], mode = 0o600): Promise<string> {
  const [from, to] = [join(base, label, 'from'), join(base, label, 'to')];
  for (const path of files) {
    mkdirSync(dirname(join(from, path)), { recursive: true });
    writeFileSync(join(from, path), path);
    // The mode of a new file is masked.
    chmodSync(join(from, path), mode);
  }
  mkdirSync(to, { mode: 0o700 });
  const identity = await generateX25519Identity();
  const file = join(base, label, 'backup');
  await writeArchive(from, createWriteStream(file), {
    lock: { recipient: await identityToRecipient(identity) },
    version: '1.0.0',
    now: new Date(),
    told: () => undefined,
  });
  const key = { identity: new Secret(identity) };
  await readArchive(createReadStream(file), to, { key, told: () => undefined });
  return to;
}

it('gives its files to their owner alone, and makes none a program', async () => {
  const files = ['sallyport.db', 'logs/lines.db', 'settings.env', 'secrets/vault.key', 'secrets/issued/pairs/a.pem'];
  const to = await restored('modes', files, 0o6755);
  for (const path of files) {
    expect(statSync(join(to, path)).mode & 0o7777, path).toBe(0o600);
    expect(statSync(dirname(join(to, path))).mode & 0o7777, path).toBe(0o700);
  }
});

it.each([
  'rootid',
  'gateway.pid',
  'nginx/nginx.conf',
  'logs/other.db',
  'secrets/issued/certbot/config/renewal-hooks/deploy/x',
  'secrets/issued/certbot/work/.config/letsencrypt/cli.ini',
])('has nothing that no backup holds: %s', async (path) => {
  await expect(restored(path.replaceAll('/', '_'), ['sallyport.db', path])).rejects.toThrow('damaged');
});
