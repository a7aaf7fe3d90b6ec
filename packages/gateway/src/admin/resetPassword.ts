import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createPasswords } from '../api/session/password.ts';
import { readConfig } from '../config.ts';
import { StartError } from '../machine/startError.ts';
import { initialPassword, makeUpPassword } from '../start/administrator.ts';
import { DATABASE_FILE, INITIAL_PASSWORD_FILE } from '../start/dataFiles.ts';
import { openStore } from '../store/store.ts';
import type { Secret } from '../vault/secret.ts';

/**
 * Makes up a new password for the administrator and ends all sessions. A gateway that runs sees both at its next request.
 * @throws {StartError} when the password is that of the settings, or there is no gateway yet
 * @throws {DatabaseError} when the database cannot be written
 */
export async function resetPassword(env: NodeJS.ProcessEnv): Promise<{ username: string; password: Secret }> {
  const { admin, dataDirectory } = readConfig(env);
  if (admin.password !== null) {
    throw new StartError(
      'The password is the one of SALLYPORT_ADMIN_PASSWORD. Change it there, then start the gateway again.',
    );
  }
  const file = join(dataDirectory, DATABASE_FILE);
  const none = `There is no gateway in ${dataDirectory}. Name its directory with SALLYPORT_DATA, or start the gateway first.`;
  if (!existsSync(file)) throw new StartError(none);
  // Where a gateway of another version runs, the schema is its own.
  const store = openStore(file, () => new Date(), { mayMigrate: false });
  try {
    const known = await store.admin.get();
    if (known === null) throw new StartError(none);
    const password = makeUpPassword();
    const passwordHash = await createPasswords().hash(password.reveal());
    await store.write(async (tx) => {
      await tx.admin.set({ username: known.username, passwordHash });
      await tx.sessions.endAll('password-changed');
    });
    initialPassword.remove(join(dataDirectory, INITIAL_PASSWORD_FILE));
    return { username: known.username, password };
  } finally {
    await store.close();
  }
}
