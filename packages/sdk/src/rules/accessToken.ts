import { message } from '../contract/message.ts';
import type { Problem } from '../contract/problem.ts';
import type { Token } from '../contract/token.ts';

/** What an access token is good for; the words stand on the screen. */
export type TokenStatus = 'Revoked' | 'Expired' | 'Active';

/** Revoked if revoked; else Expired if it has an end that is earlier than now; else Active. */
export function tokenStatus(token: Pick<Token, 'revoked' | 'expireAt'>, now: Date): TokenStatus {
  if (token.revoked) return 'Revoked';
  // A time that cannot be read has passed.
  return token.expireAt === null || Date.parse(token.expireAt) >= now.getTime() ? 'Active' : 'Expired';
}

/** An access token cannot be made already expired. */
export function tokenExpiryProblem(expireAt: string | null | undefined, now: Date): Problem | null {
  return expireAt && Date.parse(expireAt) < now.getTime() ? { field: 'expireAt', message: message.min('now') } : null;
}
