import { createHash, createPublicKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { message, type ProofKey } from '@sallyport/sdk/contract';
import { Failure, failure } from '../failure.ts';
import { hashOfToken, newToken, SESSION_TOKEN } from '../authenticate.ts';
import type { Client, HandlersOf, Identity } from '../context.ts';

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
      await tx.sessions.create(session);
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
    const who =
      identity.type === 'admin'
        ? { id: ADMIN_ID, type: 'admin' as const }
        : { id: identity.tokenId, type: 'client' as const };
    return { ...who, name, ...(exp !== undefined && { exp }) };
  },
};

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
