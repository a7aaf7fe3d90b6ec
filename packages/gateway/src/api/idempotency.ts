import {
  type CheckedInputOf,
  type EndpointName,
  type EndpointNamed,
  isRepeatable,
  type ReplyOf,
} from '@sallyport/sdk/contract';
import { failure, Failure } from './failure.ts';
import { hashOfToken, requireAlive } from './authenticate.ts';
import type { Write } from '../world.ts';
import type { Context, HandlerParts } from './context.ts';
import type { Identity } from './identity.ts';
import { inTurn } from './writer.ts';
import { renewApiToken, showApiToken } from './apiToken/apiToken.ts';
import { foundToken, isUnused, renewNodeToken, showToken } from './token/token.ts';
import type { Outcome } from '../store/rows.ts';
import { domainHandlers } from './domain/domain.ts';
import { bulkAgain } from './service/bulk.ts';
import { httpServices } from './service/httpService.ts';
import { nodeHandlers, showNode } from './node/node.ts';
import { ownNode, ownNodeId } from './node/nodeRows.ts';
import { SESSION_ENDED, sessionHandlers } from './session/session.ts';
import { renewedKey } from './join/joinKey.ts';
import { showAddress } from './system/publicAddress.ts';
import { showSettings } from './system/settings.ts';
import { tcpServices } from './service/tcpService.ts';

// A write whose answer was lost is sent again with the same `Idempotency-Key`, and must not be done again. What a call
// came to is kept with its key in the transaction of the change itself; the answer is read again from the rows. Nothing
// is kept of a call that was refused, which is simply tried again. A change that is taken back
// after it was saved takes its key along (`restoreChanges`).

/** A call with its key, as it came in. */
export type RepeatableCall = { name: EndpointName; key: string; input: unknown };

const hash = (...parts: unknown[]): string => hashOfToken(JSON.stringify(parts));

/** Two tokens of one node are the same caller: after `regenerate` it has another one. */
function nameOf(caller: Identity): string {
  if (caller.type === 'api') return `api ${caller.tokenId}`;
  return caller.type === 'admin' ? 'admin' : `node ${caller.nodeId}`;
}

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
        await tx.idempotencyKeys.keep({ ...row, outcome: outcome(value) });
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
    const expiresAt = world.now();
    const session = { sessionId: 0, lastUsedAt: null };
    return { type: 'admin', name: '', tokenHash, keyThumbprint, expiresAt, ...session, repeatsOnly: true };
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

/** The calls that change something for a caller who is signed in. */
export type RepeatableName = {
  [N in EndpointName]: EndpointNamed<N> extends { method: 'GET' } | { access: 'open' } | { repeatable: false }
    ? never
    : N;
}[EndpointName];

type Replay<N extends EndpointName> = (
  input: CheckedInputOf<EndpointNamed<N>>,
  outcome: Outcome,
  context: Context,
) => Promise<ReplyOf<EndpointNamed<N>>>;

/** What a call made; a call that makes nothing never asks. */
function madeIn({ id }: Outcome): number {
  if (id === undefined) throw failure.doneAndGone();
  return id;
}

const deleted = async () => 'Deleted!';

type Services<Shown> = { get(params: { nodeId: number; id: number }, context: Context): Promise<Shown> };
type ServiceInput = { params?: { nodeId?: number; id?: number }; body?: unknown };

/** A service as it is now. The token of a node names no node: it is its own. */
const current =
  <Shown>({ get }: Services<Shown>) =>
  ({ params }: ServiceInput, outcome: Outcome, context: Context): Promise<Shown> =>
    get({ nodeId: params?.nodeId ?? ownNodeId(context), id: params?.id ?? madeIn(outcome) }, context);

/** The same with what a write says of its domain. */
const saved =
  <Shown extends object>(services: Services<Shown>) =>
  async (input: ServiceInput, outcome: Outcome, context: Context) => {
    const { domainCreated = false, domainIsOwnName = false } = outcome;
    return { ...(await current(services)(input, outcome, context)), domainCreated, domainIsOwnName };
  };

/**
 * How each call is answered that was carried out before: what it made or changed as it is now, and another secret in
 * place of one that was lost. One that is missing here does not compile.
 */
const replays: { [N in RepeatableName]: Replay<N> } = {
  // Signed out is signed out, and the cookie goes as well.
  'session.logout': (input, _outcome, context) => sessionHandlers['session.logout'](input, context),

  'session.end': async () => SESSION_ENDED,
  'session.endOthers': async () => SESSION_ENDED,

  async 'node.create'(_input, outcome, context) {
    const node = await nodeHandlers['node.get']({ params: { id: madeIn(outcome) } }, context);
    return { ...node, token: await renewedSecret(outcome, context) };
  },
  'node.update': ({ params }, _outcome, context) => nodeHandlers['node.get']({ params }, context),
  'node.enable': ({ params }, _outcome, context) => nodeHandlers['node.get']({ params }, context),
  'node.disable': ({ params }, _outcome, context) => nodeHandlers['node.get']({ params }, context),
  'node.remove': deleted,

  'domain.create': (_input, outcome, context) =>
    domainHandlers['domain.get']({ params: { id: madeIn(outcome) } }, context),
  'domain.update': ({ params }, _outcome, context) => domainHandlers['domain.get']({ params }, context),
  'domain.remove': async (_input, { sentence }) => sentence ?? deleted(),

  'bulk.services': ({ body }, { results = [] }, context) => bulkAgain(body, results, context),

  'httpService.create': saved(httpServices),
  'httpService.update': saved(httpServices),
  'httpService.enable': current(httpServices),
  'httpService.disable': current(httpServices),
  'httpService.remove': deleted,

  'tcpService.create': saved(tcpServices),
  'tcpService.update': saved(tcpServices),
  'tcpService.enable': current(tcpServices),
  'tcpService.disable': current(tcpServices),
  'tcpService.remove': deleted,

  async 'token.create'(_input, outcome, context) {
    const { row, secret } = await context.write((tx) => renewNodeToken(tx, outcome.tokenId, context.world.now()));
    return { ...showToken(row), token: secret };
  },
  'token.revoke': async ({ params }, _outcome, context) => showToken(await foundToken(context.store, params)),
  'token.remove': deleted,

  'joinKey.create': (_input, outcome, context) => renewedKey(madeIn(outcome), context),
  'joinKey.remove': deleted,

  async 'apiToken.create'(_input, outcome, context) {
    const { row, secret } = await context.write((tx) => renewApiToken(tx, outcome.tokenId, context.world.now()));
    return { ...showApiToken(row), token: secret };
  },
  'apiToken.remove': deleted,

  'publicAddress.change': (_input, _outcome, context) => showAddress(context),
  'settings.changeAuthority': async (_input, _outcome, context) => showSettings(context),

  'cli.gateway': async (_input, _outcome, context) => showNode(await ownNode(context), context),
  'cli.exposeHttp': saved(httpServices),
  'cli.exposeTcp': saved(tcpServices),
  'cli.updateHttp': saved(httpServices),
  'cli.updateTcp': saved(tcpServices),
  'cli.enableHttp': current(httpServices),
  'cli.enableTcp': current(tcpServices),
  'cli.disableHttp': current(httpServices),
  'cli.disableTcp': current(tcpServices),
  async 'cli.regenerate'(_input, outcome, context) {
    const node = await ownNode(context);
    return { ...showNode(node, context), token: await renewedSecret(outcome, context) };
  },
};

async function renewedSecret({ tokenId }: Outcome, context: Context): Promise<string> {
  return (await context.write((tx) => renewNodeToken(tx, tokenId, context.world.now()))).secret;
}

/** Answers a call that was carried out before. @throws {Failure} 409 when what it concerns is gone, or in use */
export async function replay(name: EndpointName, input: unknown, outcome: Outcome, context: Context): Promise<unknown> {
  const answer = (replays as unknown as Record<string, Replay<never>>)[name];
  if (answer === undefined) throw new Error(`${name} cannot be repeated`);
  try {
    return await answer(input as never, outcome, context);
  } catch (error) {
    throw error instanceof Failure && error.status === 404 ? failure.doneAndGone() : error;
  }
}
