import { tokenStatus } from '@sallyport/sdk/rules';
import { failure } from './failure.ts';
import type { SessionRow } from '../store/rows.ts';
import { hashOfToken, SESSION_TOKEN } from './bearerToken.ts';
import type { AdminIdentity, HandlerParts, Identity, NodeIdentity } from './context.ts';

/** How old the last use of an access token may be on the screen; it is not worth a write for each call. */
const LAST_USE_MS = 60_000;

type Parts = Pick<HandlerParts, 'store' | 'world' | 'write' | 'failed'>;

/**
 * Whom a token belongs to. The use of a node's token is noted down.
 * @throws {Failure} 401 when it is none of ours, or has died: it says why a session ended
 */
export async function authenticate(parts: Parts, token: string): Promise<Identity> {
  const tokenHash = hashOfToken(token);
  const identity = (await adminOf(parts, tokenHash)) ?? (await nodeOfToken(parts, tokenHash));
  if (identity === null) {
    throw failure.unauthorized(
      token.startsWith(SESSION_TOKEN) ? 'The gateway does not know this session any more. Sign in again.' : undefined,
    );
  }
  return identity;
}

/** The administrator whose session it is. */
async function adminOf({ store, world }: Parts, tokenHash: string): Promise<AdminIdentity | null> {
  const session = await store.sessions.find(tokenHash);
  if (session === null) return null;
  const end = endOf(session, world.now());
  if (end !== null) throw failure.unauthorized(end);
  const admin = await store.admin.get();
  if (admin === null) return null;
  const { keyThumbprint } = session;
  return { type: 'admin', name: admin.username, tokenHash, keyThumbprint, expiresAt: new Date(session.expiresAt) };
}

/** What is said of a session that does not last any more. Only who holds its token can ask. */
function endOf({ ended, expiresAt }: SessionRow, now: Date): string | null {
  if (ended === 'password-changed') return 'The password was changed. Sign in again.';
  // A reason that cannot be read is one, too.
  if (ended !== null) return 'This session was signed out. Sign in again.';
  // A time that cannot be read has passed.
  return Date.parse(expiresAt) > now.getTime() ? null : 'Your session has expired. Sign in again.';
}

/** The node whose access token it is. Also of one that is disabled: it must be able to learn that it is. */
async function nodeOfToken(parts: Parts, tokenHash: string): Promise<NodeIdentity | null> {
  const { store, world } = parts;
  const [row] = await store.tokens.all({ tokenHash });
  const now = world.now();
  if (row === undefined || tokenStatus(row, now) !== 'Active') return null;
  const expiresAt = row.expireAt === null ? null : new Date(row.expireAt);
  if (row.lastUsedAt === null || Math.abs(now.getTime() - Date.parse(row.lastUsedAt)) >= LAST_USE_MS) {
    // A full disk is no reason to refuse a client that only reads.
    await parts.write((tx) => tx.tokens.used(row.id)).catch((error: unknown) => parts.failed(error));
  }
  return { type: 'node', nodeId: row.nodeId, tokenId: row.id, name: row.name, tokenHash, expiresAt };
}
