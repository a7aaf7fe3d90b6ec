import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ensureAdministrator, initialPassword } from './administrator.ts';
import { createPasswords } from '../api/session/password.ts';
import { openStore, type Store } from '../store/store.ts';
import { Secret } from '../vault/secret.ts';

let store: Store;
const passwords = createPasswords(4);
const told: string[] = [];

beforeEach(() => {
  store = openStore(':memory:', () => new Date());
  told.length = 0;
});
afterEach(() => store.close());

const ensure = (username: string, password: string | null, tell = (made: Secret) => void told.push(made.reveal())) =>
  ensureAdministrator({
    store,
    passwords,
    wanted: { username, password: password === null ? null : new Secret(password) },
    tell,
  });
const works = async (password: string) => passwords.verify(password, (await store.admin.get())?.passwordHash ?? '');

it('makes a password up once, and tells it', async () => {
  await ensure('admin', null);
  await ensure('admin', null);
  expect(told).toEqual([expect.stringMatching(/^[\w-]{20}$/)]);
  expect(await works(told[0] ?? '')).toBe(true);
});

it('does not count a password that could not be told', async () => {
  const failing = ensure('admin', null, () => {
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await store.admin.get()).toBeNull();
});

it('lets the environment win, and keeps sessions while nothing changes', async () => {
  await ensure('admin', 'first password');
  await store.write((tx) => tx.sessions.create({ tokenHash: 'hash', expiresAt: '2999-01-01T00:00:00.000Z' }));
  await ensure('root', 'first password');
  expect(await store.admin.get()).toMatchObject({ username: 'root' });
  expect(await store.sessions.find('hash')).toMatchObject({ ended: null });
  await ensure('root', 'second password');
  expect(await store.sessions.find('hash')).toMatchObject({ ended: 'password-changed' });
  expect(await works('second password')).toBe(true);
  // Without one, the last stays.
  await ensure('root', null);
  expect(await works('second password')).toBe(true);
  expect(told).toEqual([]);
});

it('puts the first password where only its owner can read it, whatever was there', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-password-'));
  const file = join(directory, 'initial-password');
  writeFileSync(file, 'old', { mode: 0o644 });
  initialPassword.write(file, new Secret('new'));
  expect(readFileSync(file, 'utf8')).toBe('new\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  initialPassword.remove(file);
  initialPassword.remove(file);
  rmSync(directory, { recursive: true });
});
