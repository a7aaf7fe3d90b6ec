import { tokenStatus } from '@sallyport/sdk/rules';
import { hashOfToken } from './bearerToken.ts';
import type { AdminIdentity, HandlerParts, Identity, NodeIdentity } from './context.ts';

/** How old the last use of an access token may be on the screen; it is not worth a write for each call. */
const LAST_USE_MS = 60_000;

type Parts = Pick<HandlerParts, 'store' | 'world' | 'write' | 'failed'>;

/** Whom a token belongs to; null when it is none of ours, or has died. The use of a node's token is noted down. */
export async function authenticate(parts: Parts, token: string): Promise<Identity | null> {
  const tokenHash = hashOfToken(token);
  return (await adminOf(parts, tokenHash)) ?? nodeOfToken(parts, tokenHash);
}

/** The administrator whose session it is. */
export async function adminOf(
  { store, world }: Pick<Parts, 'store' | 'world'>,
  tokenHash: string,
): Promise<AdminIdentity | null> {
  const session = await store.sessions.find(tokenHash);
  if (session === null || Date.parse(session.expiresAt) <= world.now().getTime()) return null;
  const admin = await store.admin.get();
  if (admin === null) return null;
  return { type: 'admin', name: admin.username, tokenHash, expiresAt: new Date(session.expiresAt) };
}

/** The node whose access token it is. Also of one that is disabled: it must be able to learn that it is. */
async function nodeOfToken(parts: Parts, tokenHash: string): Promise<NodeIdentity | null> {
  const { store, world } = parts;
  const [row] = await store.tokens.all({ tokenHash });
  const now = world.now();
  if (row === undefined || tokenStatus(row, now) !== 'Active') return null;
  const expiresAt = row.expireAt === null ? null : new Date(row.expireAt);
  if (row.lastUsedAt === null || Math.abs(now.getTime() - Date.parse(row.lastUsedAt)) >= LAST_USE_MS) {
    // A full disk is no reason to refuse somebody who only reads.
    await parts.write((tx) => tx.tokens.used(row.id)).catch((error: unknown) => parts.failed(error));
  }
  return { type: 'node', nodeId: row.nodeId, tokenId: row.id, name: row.name, tokenHash, expiresAt };
}
