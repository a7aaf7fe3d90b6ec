import { createHash, createPublicKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Me, message, type ProofKey } from '@sallyport/sdk/contract';
import { Failure, failure } from '../failure.ts';
import { hashOfToken, newToken, SESSION_TOKEN } from '../authenticate.ts';
import type { Client, Context, HandlersOf } from '../context.ts';
import type { Identity } from '../identity.ts';
import type { AdminRow } from '../../store/rows.ts';

/** How long a sign-in lasts. */
const SESSION_HOURS = 12;
const SESSION_SECONDS = SESSION_HOURS * 3600;
const COOKIE_BYTES = 16;
const ADMIN_ID = 1;
/** The status of a write that the disk did not take. */
const UNSAVED = 507;

export const SESSION_COOKIE = 'sallyport_session';

/**
 * The cookie that older clients expect. Browsers send it to every port of the host name, so its value is worthless:
 * random, stored nowhere, and read by nothing.
 */
const cookie = (client: Client, value: string, seconds: number): string =>
  `${SESSION_COOKIE}=${value}; Path=/api; HttpOnly; SameSite=Strict; Max-Age=${seconds}${client.secure ? '; Secure' : ''}`;

const sameText = (a: string, b: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
};

/**
 * By what a key is known (RFC 7638).
 * @throws {Failure} 422 when it is no point of its curve
 */
function thumbprintOf({ crv, kty, x, y }: ProofKey): string {
  try {
    createPublicKey({ key: { crv, kty, x, y }, format: 'jwk' });
  } catch {
    throw failure.invalid([{ field: 'publicKey', message: message.invalid }]);
  }
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url');
}

export const sessionHandlers: HandlersOf<'session'> = {
  async 'session.login'(
    { body: { username, password, publicKey } },
    { store, write, world, client, reply, ...context },
  ) {
    const keyThumbprint = publicKey === undefined ? null : thumbprintOf(publicKey);
    const wait = context.loginAttempts.begin(client.address, client.isDirect);
    if (wait > 0) throw failure.throttled(wait);
    const admin = await store.admin.get();
    // The password is hashed for an unknown name, too: the time of the answer must not tell which names exist.
    const known =
      admin !== null &&
      (await context.passwords.verify(password, admin.passwordHash, client.isDirect).catch((error: unknown) => {
        context.loginAttempts.takeBack(client.address, client.isDirect);
        throw error;
      }));
    if (!known || !sameText(username, admin.username)) throw failure.badCredentials();
    context.loginAttempts.succeeded(client.address, client.isDirect);
    const token = newToken(SESSION_TOKEN);
    const expiresAt = new Date(world.now().getTime() + SESSION_SECONDS * 1000).toISOString();
    const session = { tokenHash: hashOfToken(token), keyThumbprint, expiresAt };
    await write(async (tx) => {
      await tx.sessions.removeExpired();
      await tx.sessions.create({ ...session, address: client.address });
    }).catch(unlessUnsaved(() => store.unsavedSessions.create(session)));
    context.signedIn();
    reply.cookie = cookie(client, randomBytes(COOKIE_BYTES).toString('base64url'), SESSION_SECONDS);
    return { token, expires_in: SESSION_SECONDS, expiresIn: `${SESSION_HOURS}h` };
  },

  async 'session.logout'(_input, { store, write, caller, client, reply }) {
    const { tokenHash } = signedIn(caller);
    await write((tx) => tx.sessions.end(tokenHash, 'signed-out')).catch(
      unlessUnsaved(() => store.unsavedSessions.end(tokenHash, 'signed-out')),
    );
    reply.cookie = cookie(client, '', 0);
    return 'Signed out';
  },

  async 'session.me'(_input, { caller }) {
    const identity = signedIn(caller);
    const { name, expiresAt } = identity;
    const exp = expiresAt === null ? undefined : Math.floor(expiresAt.getTime() / 1000);
    return { ...whoIs(identity), name, ...(exp !== undefined && { exp }) };
  },

  async 'session.list'(_input, { store, caller }) {
    const own = signedIn(caller).tokenHash;
    return (await store.sessions.living()).map(({ tokenHash, keyThumbprint, ...row }) => ({
      id: row.id,
      created_at: row.createdAt,
      lastUsedAt: row.lastUsedAt,
      expiresAt: row.expiresAt,
      address: row.address,
      isBrowser: keyThumbprint !== null,
      isOwn: tokenHash === own,
    }));
  },

  async 'session.end'({ params: { id } }, { write }) {
    await write(async (tx) => {
      const row = (await tx.sessions.living()).find((session) => session.id === id);
      if (row === undefined) throw failure.notFound('Session not found');
      await tx.sessions.end(row.tokenHash, 'signed-out');
    });
    return SESSION_ENDED;
  },

  async 'session.endOthers'(_input, { write, caller }) {
    const own = signedIn(caller).tokenHash;
    await write((tx) => tx.sessions.endAll('signed-out', own));
    return SESSION_ENDED;
  },

  'session.password': async (_input, { settings }) => ({ problem: passwordProblem(settings) }),

  async 'session.changePassword'({ body: { currentPassword, newPassword } }, { store, write, caller, ...context }) {
    const own = signedIn(caller).tokenHash;
    const problem = passwordProblem(context.settings);
    if (problem !== null) throw failure.rejected(problem);
    const admin = await store.admin.get();
    if (admin === null || !(await isPassword(currentPassword, admin, context))) {
      throw failure.invalid([{ field: 'currentPassword', message: 'This is not the password' }]);
    }
    const passwordHash = await context.passwords.hash(newPassword);
    await write(async (tx) => {
      // Another session may have changed it meanwhile.
      if ((await tx.admin.get())?.passwordHash !== admin.passwordHash) throw failure.stale();
      await tx.admin.set({ username: admin.username, passwordHash });
      await tx.sessions.endAll('password-changed', own);
    });
    return 'Password changed';
  },
};

function whoIs(identity: Identity): Pick<Me, 'id' | 'type' | 'scope' | 'nodes'> {
  if (identity.type === 'admin') return { id: ADMIN_ID, type: 'admin' };
  if (identity.type === 'node') return { id: identity.tokenId, type: 'client' };
  const { tokenId: id, scope, nodes } = identity;
  return { id, type: 'api', scope: [...scope], ...(nodes !== null && { nodes: [...nodes] }) };
}

/** What the end of a session is answered with. */
export const SESSION_ENDED = 'Ended';

/** Why the password cannot be changed here; null: it can. */
const passwordProblem = ({ isPasswordSet }: Pick<Context['settings'], 'isPasswordSet'>): string | null =>
  isPasswordSet
    ? 'The password is set by SALLYPORT_ADMIN_PASSWORD in the settings of the gateway. Change it there and start the gateway again.'
    : null;

/** Whether it is the administrator's password. Tries count as those to sign in do. @throws {Failure} 400, 429 */
async function isPassword(
  password: string,
  { passwordHash }: AdminRow,
  { loginAttempts, passwords, client: { address, isDirect } }: Pick<Context, 'loginAttempts' | 'passwords' | 'client'>,
): Promise<boolean> {
  const wait = loginAttempts.begin(address, isDirect);
  // Not 429: that would sign out an administrator who is signed in.
  if (wait > 0) throw failure.rejected(`Too many wrong passwords. Try again in ${wait} s.`);
  const isRight = await passwords.verify(password, passwordHash, isDirect).catch((error: unknown) => {
    loginAttempts.takeBack(address, isDirect);
    throw error;
  });
  if (isRight) loginAttempts.succeeded(address, isDirect);
  return isRight;
}

/** An administrator who is to make room on a full disk has to be let in, and out again. */
const unlessUnsaved =
  (keep: () => Promise<void> | void) =>
  async (error: unknown): Promise<void> => {
    if (!(error instanceof Failure) || error.status !== UNSAVED) throw error;
    await keep();
  };

function signedIn(caller: Identity | null): Identity {
  if (caller === null) throw failure.unauthorized();
  return caller;
}
