import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyVault, createNodeKeys, createPresharedKey, publicKeyOf, SealError } from './keyVault.ts';
import { Secret } from './secret.ts';
import { StartError } from '../machine/startError.ts';

let directory: string;
let keyFile: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-vault-'));
  keyFile = join(directory, 'vault.key');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('createNodeKeys', () => {
  it('makes pairs whose halves belong together, each its own', () => {
    const pair = createNodeKeys();
    expect(publicKeyOf(pair.privateKey)).toBe(pair.publicKey);
    expect(pair.publicKey).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(createNodeKeys().publicKey).not.toBe(pair.publicKey);
    expect(createPresharedKey().reveal()).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });
});

describe('Secret', () => {
  it('does not show itself in any way of printing', () => {
    const secret = new Secret('hunter2');
    const printed = [String(secret), JSON.stringify({ secret }), inspect({ secret }, { showHidden: true })];
    for (const text of printed) {
      expect(text).toContain('[redacted]');
      expect(text).not.toContain('hunter2');
    }
    expect(secret.reveal()).toBe('hunter2');
  });
});

describe('createKeyVault', () => {
  it('opens what it sealed, also after a restart, and seals the same text differently each time', async () => {
    const vault = await createKeyVault(keyFile);
    const sealed = vault.seal(new Secret('private'));
    expect(sealed).not.toContain('private');
    expect(vault.seal(new Secret('private'))).not.toBe(sealed);
    expect((await createKeyVault(keyFile)).open(sealed).reveal()).toBe('private');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['vault.key']);
  });

  it('makes one key for two who start at once', async () => {
    const [one, two] = await Promise.all([createKeyVault(keyFile), createKeyVault(keyFile)]);
    expect(two.open(one.seal(new Secret('x'))).reveal()).toBe('x');
  });

  it('refuses every damaged text', async () => {
    const vault = await createKeyVault(keyFile);
    const sealed = vault.seal(new Secret('private'));
    const bytes = Buffer.from(sealed.slice(3), 'base64');
    const damaged = [...bytes.keys()].map((at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return `v1:${copy.toString('base64')}`;
    });
    for (const text of [...damaged, '', 'v1:', 'v2:x', sealed.slice(0, -8)]) {
      expect(() => vault.open(text)).toThrow(SealError);
    }
  });

  it('refuses a text that was sealed with another key, and says what to do', async () => {
    const sealed = (await createKeyVault(keyFile)).seal(new Secret('x'));
    rmSync(keyFile);
    const other = await createKeyVault(keyFile);
    expect(() => other.open(sealed)).toThrow(/Restore both from the same backup\.$/);
  });

  it('makes a key file that others could read its owner’s alone', async () => {
    const sealed = (await createKeyVault(keyFile)).seal(new Secret('private'));
    chmodSync(keyFile, 0o644);
    expect((await createKeyVault(keyFile)).open(sealed).reveal()).toBe('private');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  });

  it('does not overwrite a damaged key file', async () => {
    for (const text of ['short', Buffer.alloc(33).toString('base64')]) {
      writeFileSync(keyFile, text);
      await expect(createKeyVault(keyFile)).rejects.toThrow(/vault\.key is damaged\. Restore it from a backup/);
      expect(readFileSync(keyFile, 'utf8')).toBe(text);
    }
    mkdirSync(join(directory, 'folder'));
    await expect(createKeyVault(join(directory, 'folder'))).rejects.toThrow(StartError);
  });
});
