import type { tokenAttributes } from '@sallyport/sdk/contract';
import type { TokenRow } from '../store/rows.ts';
import type { Transaction } from '../store/transaction.ts';
import { hashOfToken, newToken } from './bearerToken.ts';

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
