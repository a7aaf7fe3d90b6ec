import { type CreatedToken, type Token, token, tokenAttributes, withDefaults } from '@sallyport/sdk/contract';
import { nodeCan, tokenExpiryProblem, tokenStatus } from '@sallyport/sdk/rules';
import { answeredRows, shownPage } from '../entities.ts';
import { failure, refuseProblems, requireAllowed, requireVersion } from '../failure.ts';
import type { TokenRow } from '../../store/rows.ts';
import type { StoreReader, Transaction } from '../../store/transaction.ts';
import type { HandlersOf } from '../context.ts';
import { nodeOf } from '../node/nodeRows.ts';
import { hashOfToken, newToken } from '../authenticate.ts';

const answered = answeredRows(token);

/** An access token as it is answered; its hash is not among the fields of a reply. */
export const showToken = (stored: TokenRow): Token => answered(stored).row;

/** The token of that node; one of another node is not there. */
export async function foundToken(
  at: Pick<StoreReader, 'nodes' | 'tokens'>,
  { id, tokenId }: { id: number; tokenId: number },
): Promise<TokenRow> {
  await nodeOf(at, id);
  const row = await at.tokens.get(tokenId);
  if (row === null || row.nodeId !== id) throw failure.notFound('Access token not found');
  return row;
}

export const tokenHandlers: HandlersOf<'token'> = {
  async 'token.list'({ params: { id: nodeId }, query }, { store }) {
    await nodeOf(store, nodeId);
    return shownPage(await store.tokens.list({ ...query, where: { nodeId } }), showToken);
  },

  async 'token.create'({ params: { id: nodeId }, body }, context): Promise<CreatedToken> {
    const { row, secret } = await context.write(
      async (tx) => {
        requireAllowed(nodeCan.createToken(await nodeOf(tx, nodeId)));
        refuseProblems([tokenExpiryProblem(body.expireAt, context.world.now())]);
        return createNodeToken(tx, nodeId, withDefaults(tokenAttributes, body));
      },
      (made) => ({ tokenId: made.row.id }),
    );
    return { ...showToken(row), token: secret };
  },

  // Also a second time: anyone who revokes wants the token to be of no use, and that it is.
  async 'token.revoke'({ params }, context) {
    const row = await context.write(async (tx) => {
      const before = await foundToken(tx, params);
      requireVersion(before, context);
      return before.revoked ? before : tx.tokens.update(before.id, { revoked: true });
    });
    return showToken(row);
  },

  async 'token.remove'({ params }, context) {
    await context.write(async (tx) => {
      const row = await foundToken(tx, params);
      requireVersion(row, context);
      await tx.tokens.remove(row.id);
    });
    return 'Deleted!';
  },
};

/** The name of the access token that a node gets with its keys. */
export const FIRST_TOKEN_NAME = 'default';

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
