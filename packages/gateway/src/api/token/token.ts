import {
  type CreatedToken,
  withDefaults,
  soundRows,
  type Token,
  token,
  tokenAttributes,
} from '@sallyport/sdk/contract';
import { nodeCan, tokenExpiryProblem } from '@sallyport/sdk/rules';
import { failure } from '../failure.ts';
import type { TokenRow } from '../../store/rows.ts';
import type { StoreReader } from '../../store/transaction.ts';
import { refuseProblems, requireAllowed, requireVersion, shownPage } from '../checks.ts';
import type { HandlersOf } from '../handler.ts';
import { nodeOf } from '../node/nodeOf.ts';
import { createNodeToken } from './nodeToken.ts';

const sound = soundRows(token);

/** An access token as it is answered; its hash is not among the fields of a reply. */
export function showToken({ createdAt, updatedAt, ...stored }: TokenRow): Token {
  return sound({ ...stored, created_at: createdAt, updated_at: updatedAt }).row;
}

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
