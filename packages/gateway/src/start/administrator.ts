import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { Passwords } from '../api/session/password.ts';
import type { Store } from '../store/store.ts';
import { Secret } from '../vault/secret.ts';

const PASSWORD_BYTES = 15;

/** A password that no one guesses. */
export const makeUpPassword = (): Secret => new Secret(randomBytes(PASSWORD_BYTES).toString('base64url'));

/**
 * Makes sure that there is an administrator. A password from the environment wins at each start; a new one signs
 * everybody out. Without one, the first start makes one up.
 * @param tell is given a made-up password before it counts, so that it cannot be lost
 */
export async function ensureAdministrator(parts: {
  store: Store;
  passwords: Passwords;
  wanted: { username: string; password: Secret | null };
  tell(password: Secret): void;
}): Promise<void> {
  const { store, passwords } = parts;
  const { username, password } = parts.wanted;
  const known = await store.admin.get();
  const isSame =
    known !== null && (password === null || (await passwords.verify(password.reveal(), known.passwordHash)));
  if (isSame && known.username === username) return;
  if (isSame) {
    await store.write((tx) => tx.admin.set({ username, passwordHash: known.passwordHash }));
    return;
  }
  const next = password ?? makeUpPassword();
  const passwordHash = await passwords.hash(next.reveal());
  if (password === null) parts.tell(next);
  await store.write(async (tx) => {
    await tx.admin.set({ username, passwordHash });
    await tx.sessions.endAll('password-changed');
  });
}

/** The file that holds a made-up password until someone has signed in. */
export const initialPassword = {
  write(file: string, password: Secret): void {
    // A file that is there keeps its mode when it is written to.
    rmSync(file, { force: true });
    writeFileSync(file, `${password.reveal()}\n`, { mode: 0o600, flag: 'wx' });
  },
  remove(file: string): void {
    rmSync(file, { force: true });
  },
};
