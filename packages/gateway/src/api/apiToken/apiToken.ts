import {
  API_TOKEN_PREFIX,
  type ApiToken,
  apiToken,
  apiTokenAttributes,
  type CreatedApiToken,
  withDefaults,
} from '@sallyport/sdk/contract';
import { tokenExpiryProblem, tokenStatus } from '@sallyport/sdk/rules';
import { hashOfToken, newToken } from '../authenticate.ts';
import type { HandlersOf } from '../context.ts';
import { answeredRows, shownPage } from '../entities.ts';
import { failure, refuseProblems, requireVersion } from '../failure.ts';
import type { ApiTokenRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';

/** So much of the secret is kept and shown; what is left of it is still beyond guessing. */
const SHOWN_CHARS = API_TOKEN_PREFIX.length + 4;

const answered = answeredRows(apiToken);

/** An API token as it is answered; its hash is not among the fields of a reply. */
export const showApiToken = (stored: ApiTokenRow): ApiToken => answered(stored).row;

function newSecret(): { secret: string; columns: Pick<ApiTokenRow, 'prefix' | 'tokenHash'> } {
  const secret = newToken(API_TOKEN_PREFIX);
  return { secret, columns: { prefix: secret.slice(0, SHOWN_CHARS), tokenHash: hashOfToken(secret) } };
}

export const apiTokenHandlers: HandlersOf<'apiToken'> = {
  'apiToken.list': async ({ query }, { store }) => shownPage(await store.apiTokens.list(query), showApiToken),

  async 'apiToken.create'({ body }, context): Promise<CreatedApiToken> {
    const { secret, columns } = newSecret();
    const form = withDefaults(apiTokenAttributes, body);
    const row = await context.write(
      async (tx) => {
        refuseProblems([tokenExpiryProblem(form.expireAt, context.world.now()), ...(await unknownNodes(tx, form))]);
        return tx.apiTokens.create({ ...form, ...columns, lastUsedAt: null });
      },
      ({ id }) => ({ tokenId: id }),
    );
    return { ...showApiToken(row), token: secret };
  },

  async 'apiToken.remove'({ params: { id } }, context) {
    await context.write(async (tx) => {
      const row = await tx.apiTokens.get(id);
      if (row === null) throw failure.notFound('API token not found');
      requireVersion(row, context);
      await tx.apiTokens.remove(id);
    });
    return 'Deleted!';
  },
};

async function unknownNodes(tx: Transaction, { nodes }: Pick<ApiTokenRow, 'nodes'>) {
  const known = new Set((await tx.nodes.all()).map(({ id }) => id));
  return (nodes ?? []).map(
    (id, index) => !known.has(id) && { field: `nodes.${index}`, message: 'There is no such node' },
  );
}

/**
 * Gives an API token another secret in place of one that was lost on its way.
 * @throws {Failure} 409 when it was used or deleted meanwhile
 */
export async function renewApiToken(
  tx: Transaction,
  tokenId: number | undefined,
  now: Date,
): Promise<{ row: ApiTokenRow; secret: string }> {
  const before = tokenId === undefined ? null : await tx.apiTokens.get(tokenId);
  const isUnused = before?.lastUsedAt === null && tokenStatus({ ...before, revoked: false }, now) === 'Active';
  if (before === null || !isUnused) throw failure.doneAndUsed();
  const { secret, columns } = newSecret();
  return { row: await tx.apiTokens.update(before.id, columns), secret };
}
