import type { HandlerParts, Identity } from './context.ts';
import { hashOfToken } from './bearerToken.ts';

/** Whom a token belongs to; null when it is none of ours, or has died. */
export async function authenticate(
  { store, world }: Pick<HandlerParts, 'store' | 'world'>,
  token: string,
): Promise<Identity | null> {
  const session = await store.sessions.find(hashOfToken(token));
  if (session === null || Date.parse(session.expiresAt) <= world.now().getTime()) return null;
  const admin = await store.admin.get();
  if (admin === null) return null;
  return {
    type: 'admin',
    name: admin.username,
    tokenHash: session.tokenHash,
    expiresAt: new Date(session.expiresAt),
  };
}
