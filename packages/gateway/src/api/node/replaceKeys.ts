import type { NodeRow } from '../../store/rows.ts';
import type { Context } from '../context.ts';
import { nodeOf } from './nodeOf.ts';
import { createNodeToken } from '../token/nodeToken.ts';

/** The name of the access token that a node gets with its keys. */
export const FIRST_TOKEN_NAME = 'default';

/**
 * New keys for a node: the old ones, and all of its access tokens, are of no use from now on.
 * @param expireAt when the new token ends; a token must not make itself one that outlives it
 */
export async function replaceNodeKeys(
  nodeId: number,
  expireAt: string | null,
  { world, write }: Pick<Context, 'world' | 'write'>,
): Promise<{ row: NodeRow; secret: string }> {
  const keys = world.newNodeKeys();
  const { row, secret } = await write(
    async (tx) => {
      await nodeOf(tx, nodeId);
      for (const { id } of await tx.tokens.all({ nodeId })) await tx.tokens.remove(id);
      const node = await tx.nodes.update(nodeId, keys);
      const token = await createNodeToken(tx, nodeId, { name: FIRST_TOKEN_NAME, expireAt });
      return { row: node, secret: token.secret, tokenId: token.row.id };
    },
    ({ tokenId }) => ({ tokenId }),
  );
  return { row, secret };
}
