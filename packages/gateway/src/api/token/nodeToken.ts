import type { tokenAttributes } from '@sallyport/sdk/contract';
import { tokenStatus } from '@sallyport/sdk/rules';
import { failure } from '../failure.ts';
import type { TokenRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import { hashOfToken, newToken } from '../bearerToken.ts';

/** What is said about an access token. */
export type TokenForm = Pick<TokenRow, keyof typeof tokenAttributes>;

/** Gives a node an access token. Its secret is answered here and nowhere else: the row has its hash alone. */
export async function createNodeToken(
  tx: Transaction,
  nodeId: number,
  form: TokenForm,
): Promise<{ row: TokenRow; secret: string }> {
  const secret = newToken('spn_');
  const row = await tx.tokens.create({
    ...form,
    nodeId,
    tokenHash: hashOfToken(secret),
    revoked: false,
    lastUsedAt: null,
  });
  return { row, secret };
}

/** Whether a token may get another secret: it was never used, so its first one did not arrive. */
export const isUnused = (row: TokenRow | null, now: Date): row is TokenRow =>
  row !== null && row.lastUsedAt === null && tokenStatus(row, now) === 'Active';

/**
 * Gives an access token another secret in place of one that was lost on its way.
 * @throws {Failure} 409 when it was used, revoked or deleted meanwhile
 */
export async function renewNodeToken(
  tx: Transaction,
  tokenId: number | undefined,
  now: Date,
): Promise<{ row: TokenRow; secret: string }> {
  const before = tokenId === undefined ? null : await tx.tokens.get(tokenId);
  if (!isUnused(before, now)) throw failure.doneAndUsed();
  const secret = newToken('spn_');
  const row = await tx.tokens.update(before.id, { tokenHash: hashOfToken(secret) });
  return { row, secret };
}
