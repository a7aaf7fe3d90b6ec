import { createHash, timingSafeEqual } from 'node:crypto';
import type { Session } from '@sallyport/sdk/contract';
import { failure } from '../failure.ts';
import { adminOf } from './authenticate.ts';
import { hashOfToken, newToken } from './bearerToken.ts';
import type { Client, Identity } from './context.ts';
import type { HandlersOf } from './handler.ts';

/** How long a sign-in lasts. */
const SESSION_HOURS = 12;
const SESSION_SECONDS = SESSION_HOURS * 3600;
const ADMIN_ID = 1;

export const SESSION_COOKIE = 'sallyport_session';

/** The cookie that gives the console its token back after a reload; no script and no other site can use it. */
const cookie = (client: Client, value: string, seconds: number): string =>
  `${SESSION_COOKIE}=${value}; Path=/api; HttpOnly; SameSite=Strict; Max-Age=${seconds}${client.secure ? '; Secure' : ''}`;

const sameText = (a: string, b: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
};

/** Whether the request was made by the console's own page. */
const fromOwnPage = (client: Client): boolean =>
  client.origin === client.ownOrigin && client.fetchSite === 'same-origin';

export const sessionHandlers: HandlersOf<'session'> = {
  async 'session.login'({ body: { username, password } }, { store, write, world, client, reply, ...context }) {
    const wait = context.loginAttempts.begin(client.address);
    if (wait > 0) throw failure.throttled(wait);
    const admin = await store.admin.get();
    // The password is hashed for an unknown name, too: the time of the answer must not tell which names exist.
    const known = admin !== null && (await context.passwords.verify(password, admin.passwordHash));
    if (!known || !sameText(username, admin.username)) throw failure.badCredentials();
    context.loginAttempts.succeeded(client.address);
    const token = newToken('sps_');
    const expiresAt = new Date(world.now().getTime() + SESSION_SECONDS * 1000).toISOString();
    await write(async (tx) => {
      await tx.sessions.removeExpired();
      await tx.sessions.create({ tokenHash: hashOfToken(token), expiresAt });
    });
    context.signedIn();
    reply.cookie = cookie(client, token, SESSION_SECONDS);
    return { token, expires_in: SESSION_SECONDS, expiresIn: `${SESSION_HOURS}h` };
  },

  async 'session.resume'(_input, { store, world, client }): Promise<Session | null> {
    if (client.cookieToken === null || !fromOwnPage(client)) return null;
    const identity = await adminOf({ store, world }, hashOfToken(client.cookieToken));
    if (identity === null) return null;
    const seconds = Math.floor((identity.expiresAt.getTime() - world.now().getTime()) / 1000);
    return { token: client.cookieToken, expires_in: seconds, expiresIn: `${seconds}s` };
  },

  async 'session.logout'(_input, { write, caller, client, reply }) {
    const { tokenHash } = signedIn(caller);
    await write((tx) => tx.sessions.remove(tokenHash));
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

function signedIn(caller: Identity | null): Identity {
  if (caller === null) throw failure.unauthorized();
  return caller;
}
