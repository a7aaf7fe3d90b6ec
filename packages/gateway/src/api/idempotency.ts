import { type EndpointName, isRepeatable } from '@sallyport/sdk/contract';
import { failure } from './failure.ts';
import { requireAlive } from './authenticate.ts';
import { hashOfToken } from './bearerToken.ts';
import type { Write } from '../world.ts';
import type { Context, HandlerParts, Identity } from './context.ts';
import { inTurn } from './inTurn.ts';
import { isUnused } from './token/nodeToken.ts';
import { replay } from './replay.ts';

// A write whose answer was lost is sent again with the same `Idempotency-Key`, and must not be done again. What a call
// came to is kept with its key in the transaction of the change itself; the answer is read again from the rows. A call
// that was refused changed nothing, so nothing is kept of it, and it is simply tried again. A change that is taken back
// after it was saved takes its key along (`restoreChanges`).

/** A call with its key, as it came in. */
export type RepeatableCall = { name: EndpointName; key: string; input: unknown };

const hash = (...parts: unknown[]): string => hashOfToken(JSON.stringify(parts));

/** Two tokens of one node are the same caller: after `regenerate` it has another one. */
const nameOf = (caller: Identity): string => (caller.type === 'admin' ? 'admin' : `node ${caller.nodeId}`);

/**
 * Answers a call, or what it came to when it was carried out before. A second one with the same key waits for the first.
 * @throws {Failure} 409 when the key belongs to another call
 */
export async function answerOnce(
  { name, key, input }: RepeatableCall,
  context: Context,
  handle: (context: Context) => Promise<unknown>,
): Promise<unknown> {
  const { caller, store, ifMatch } = context;
  if (caller === null) return handle(context);
  const owner = nameOf(caller);
  const keyHash = hash(key);
  const requestHash = hash(name, input, ifMatch);
  return inTurn(store, `idempotency ${owner} ${keyHash}`, async () => {
    const first = await store.idempotencyKeys.find(owner, keyHash);
    if (first !== null) {
      if (first.requestHash !== requestHash) throw failure.keyReused();
      // The first one may have taken its time.
      await requireAlive(store, caller, context, { onlyReads: false });
      context.reply.replayed = true;
      return replay(name, input, first.outcome, context);
    }
    if (caller.repeatsOnly === true) throw failure.unauthorized();
    const row = { caller: owner, keyHash, call: name, requestHash, tokenHash: caller.tokenHash };
    const write: Write = (work, outcome = () => ({})) =>
      context.write(async (tx) => {
        const value = await work(tx);
        if (outcome !== null) await tx.idempotencyKeys.keep({ ...row, outcome: outcome(value) });
        return value;
      });
    return handle({ ...context, write });
  });
}

/** The calls after which the token that made them is none any more. */
const ENDING = ['session.logout', 'cli.regenerate'] as const satisfies EndpointName[];

/**
 * Whose call it is that is repeated with a token which the call itself has ended; null when it is none of these. New
 * keys for a node are asked for again only as long as the token that came with them is unused: a caller who has that one
 * needs no second, and a revoked one must not come back to life.
 */
export async function formerCaller(
  { store, world }: Pick<HandlerParts, 'store' | 'world'>,
  { name, key, token }: { name: EndpointName; key: string; token: string },
): Promise<Identity | null> {
  if (!ENDING.some((ending) => ending === name)) return null;
  const tokenHash = hashOfToken(token);
  const found = await store.idempotencyKeys.findByToken({ tokenHash, keyHash: hash(key), call: name });
  if (found === null) return null;
  if (name === 'session.logout') {
    const keyThumbprint = (await store.sessions.find(tokenHash))?.keyThumbprint ?? null;
    return { type: 'admin', name: '', tokenHash, keyThumbprint, expiresAt: world.now(), repeatsOnly: true };
  }
  const row = found.outcome.tokenId === undefined ? null : await store.tokens.get(found.outcome.tokenId);
  if (!isUnused(row, world.now())) return null;
  const expiresAt = row.expireAt === null ? null : new Date(row.expireAt);
  const { nodeId, id: tokenId, name: tokenName } = row;
  return { type: 'node', nodeId, tokenId, name: tokenName, tokenHash, expiresAt, repeatsOnly: true };
}

const KEY = /^[\x21-\x7e]{1,200}$/;

/**
 * The key of a call; null when it has none, or needs none.
 * @throws {Failure} 400 when it cannot be one
 */
export function keyOf(endpoint: Parameters<typeof isRepeatable>[0], header: string | undefined): string | null {
  if (header === undefined || !isRepeatable(endpoint)) return null;
  if (!KEY.test(header)) {
    throw failure.rejected('The Idempotency-Key header must be 1 to 200 characters of ASCII without blanks');
  }
  return header;
}
