import { API_TOKEN_PREFIX } from '@sallyport/sdk/contract';
import { tokenStatus } from '@sallyport/sdk/rules';
import { failure } from './failure.ts';
import type { ApiTokenRow, SessionRow, TokenRow } from '../store/rows.ts';
import type { StoreReader } from '../store/transaction.ts';
import type { Write } from '../world.ts';
import type { HandlerParts } from './context.ts';
import type { AdminIdentity, ApiIdentity, Identity, NodeIdentity } from './identity.ts';
import { hash, randomBytes } from 'node:crypto';

/** How old the last use of an access token may be on the screen; it is not worth a write for each call. */
const LAST_USE_MS = 60_000;

const UNKNOWN_SESSION = 'The gateway does not know this session any more. Sign in again.';
const DEAD_TOKEN =
  'The gateway does not accept this access token: it has expired, was revoked or deleted, or is none of its own.';

type Parts = Pick<HandlerParts, 'store' | 'world' | 'write' | 'failed'>;
/** Where it is looked up: the store, or a transaction. */
type At = Pick<StoreReader, 'nodes' | 'tokens' | 'apiTokens' | 'sessions'>;
type Lookup = { at: At; unsaved: Parts['store']['unsavedSessions']; now: Date };

/**
 * Whom a token belongs to. The use of a node's or a program's token is noted down.
 * @throws {Failure} 401 when it is none of ours, or has died: it says why a session ended
 */
export async function authenticate(parts: Parts, token: string): Promise<Identity> {
  const { store, world } = parts;
  const tokenHash = hashOfToken(token);
  if (token.startsWith(API_TOKEN_PREFIX)) {
    const program = await programOfToken(parts, tokenHash);
    if (program === null) throw failure.unauthorized(DEAD_TOKEN);
    return program;
  }
  const session = await livingSession(tokenHash, { at: store, unsaved: store.unsavedSessions, now: world.now() });
  const admin = session === null ? null : await store.admin.get();
  if (session !== null && admin !== null) {
    const { id: sessionId, keyThumbprint, lastUsedAt } = session;
    const expiresAt = new Date(session.expiresAt);
    return { type: 'admin', name: admin.username, tokenHash, keyThumbprint, expiresAt, sessionId, lastUsedAt };
  }
  const node = (await nodeOfToken(parts, tokenHash)) ?? (await nodeOfWiredoorToken(parts, token, tokenHash));
  if (node !== null) return node;
  throw failure.unauthorized(token.startsWith(SESSION_TOKEN) ? UNKNOWN_SESSION : DEAD_TOKEN);
}

/** Notes that a session is used, and from where, once it is sure that its holder asks. */
export async function noteSessionUse(
  { world, write, failed }: Parts,
  { sessionId, lastUsedAt, repeatsOnly }: AdminIdentity,
  address: string,
): Promise<void> {
  if (sessionId === 0 || repeatsOnly === true || !isUseDue({ lastUsedAt }, world.now())) return;
  await write((tx) => tx.sessions.used(sessionId, address)).catch((error: unknown) => failed(error));
}

/**
 * Refuses a caller whose token has died since it was looked up: a body may take a minute to come, and a call may wait
 * for others. The token of a node that is disconnected may read what is its node's, and nothing else.
 * @param at a transaction, for what is written in it
 * @throws {Failure} 401, 403
 */
export async function requireAlive(
  at: At,
  caller: Identity | null,
  { store: { unsavedSessions: unsaved }, world }: Pick<Parts, 'store' | 'world'>,
  { onlyReads }: { onlyReads: boolean },
): Promise<void> {
  if (caller === null) return;
  const now = world.now();
  // What was ended by the very call that is repeated is looked at by that call (`idempotency.ts`).
  const repeats = caller.repeatsOnly === true;
  if (caller.type === 'admin') {
    if (repeats) return;
    if ((await livingSession(caller.tokenHash, { at, unsaved, now })) === null)
      throw failure.unauthorized(UNKNOWN_SESSION);
    return;
  }
  if (caller.type === 'api') {
    if ((await livingApiToken(at, caller.tokenHash, now)) === null) throw failure.unauthorized(DEAD_TOKEN);
    return;
  }
  if (!repeats && (await livingToken(at, caller.tokenHash, now)) === null) throw failure.unauthorized(DEAD_TOKEN);
  if (!onlyReads && (await at.nodes.get(caller.nodeId))?.enabled !== true) throw failure.disconnected();
}

/** The way in which a caller writes: in the transaction that writes, the caller's token is looked at once more. */
export const writeAs =
  (parts: Parts, caller: Identity | null): Write =>
  (work, outcome) =>
    parts.write(async (tx) => {
      await requireAlive(tx, caller, parts, { onlyReads: false });
      return work(tx);
    }, outcome);

/** @throws {Failure} 401 when it has ended */
async function livingSession(tokenHash: string, { at, unsaved, now }: Lookup): Promise<SessionRow | null> {
  const session = unsaved.find(tokenHash) ?? (await at.sessions.find(tokenHash));
  const end = session === null ? null : endOf(session, now);
  if (end !== null) throw failure.unauthorized(end);
  return session;
}

/** What is said of a session that does not last any more. Only who holds its token can ask. */
function endOf({ ended, expiresAt }: SessionRow, now: Date): string | null {
  if (ended === 'password-changed') return 'The password was changed. Sign in again.';
  if (ended === 'address-changed') return 'The console has another address by now. Sign in again.';
  if (ended === 'copy-restored') return 'Another copy of the database was put back. Sign in again.';
  // A reason that cannot be read is one, too.
  if (ended !== null) return 'This session was signed out. Sign in again.';
  // A time that cannot be read has passed.
  return Date.parse(expiresAt) > now.getTime() ? null : 'Your session has expired. Sign in again.';
}

async function livingToken(at: Pick<At, 'tokens'>, tokenHash: string, now: Date): Promise<TokenRow | null> {
  const [row] = await at.tokens.all({ tokenHash });
  return row !== undefined && tokenStatus(row, now) === 'Active' ? row : null;
}

/** The node whose access token it is. Also of one that is disabled: it must be able to learn that it is. */
async function nodeOfToken({ store, world, write, failed }: Parts, tokenHash: string): Promise<NodeIdentity | null> {
  const now = world.now();
  const row = await livingToken(store, tokenHash, now);
  if (row === null) return null;
  // A full disk is no reason to refuse a client that only reads.
  if (isUseDue(row, now)) await write((tx) => tx.tokens.used(row.id)).catch((error: unknown) => failed(error));
  return { type: 'node', nodeId: row.nodeId, tokenId: row.id, name: row.name, tokenHash, expiresAt: endOfToken(row) };
}

/**
 * The node of an access token that a Wiredoor server made. Of those it is known by whom they were signed and what they are
 * about, but not their text: from the first use on such a token is known by its hash, as all others are.
 */
async function nodeOfWiredoorToken(parts: Parts, token: string, tokenHash: string): Promise<NodeIdentity | null> {
  const { store, world, write } = parts;
  const id = await world.wiredoorTokenId(token);
  if (id === null) return null;
  const now = world.now();
  const awaited = await livingToken(store, awaitedHash(id), now);
  if (awaited !== null) {
    await write(async (tx) => {
      // Another call may have come first.
      if ((await tx.tokens.get(awaited.id))?.tokenHash !== awaited.tokenHash) return;
      await tx.tokens.update(awaited.id, { tokenHash });
      const all = await tx.tokens.all();
      // Anyone who reads the former server's disk could sign one more.
      if (!all.some((row) => isAwaited(row, now))) await tx.settings.remove('wiredoorTokenKey');
    });
  }
  return nodeOfToken(parts, tokenHash);
}

const AWAITED = 'wiredoor:';

/** What stands for the hash of a Wiredoor server's token until it is used: no token has such a hash. */
export const awaitedHash = (id: number): string => `${AWAITED}${id}`;

/** A damaged row may hold anything. */
function isAwaited(row: TokenRow, now: Date): boolean {
  const { tokenHash }: { tokenHash: unknown } = row;
  return String(tokenHash).startsWith(AWAITED) && tokenStatus(row, now) === 'Active';
}

async function livingApiToken(at: Pick<At, 'apiTokens'>, tokenHash: string, now: Date): Promise<ApiTokenRow | null> {
  const [row] = await at.apiTokens.all({ tokenHash });
  return row !== undefined && tokenStatus({ ...row, revoked: false }, now) === 'Active' ? row : null;
}

/** The program whose API token it is. What a damaged row says of its rights and its nodes allows nothing. */
async function programOfToken({ store, world, write, failed }: Parts, tokenHash: string): Promise<ApiIdentity | null> {
  const now = world.now();
  const row = await livingApiToken(store, tokenHash, now);
  if (row === null) return null;
  if (isUseDue(row, now)) await write((tx) => tx.apiTokens.used(row.id)).catch((error: unknown) => failed(error));
  return {
    type: 'api',
    tokenId: row.id,
    name: row.name,
    tokenHash,
    expiresAt: endOfToken(row),
    scope: Array.isArray(row.scope) ? row.scope : [],
    nodes: row.nodes === null || Array.isArray(row.nodes) ? row.nodes : [],
  };
}

const isUseDue = ({ lastUsedAt }: Pick<TokenRow, 'lastUsedAt'>, now: Date): boolean =>
  lastUsedAt === null || !(Math.abs(now.getTime() - Date.parse(lastUsedAt)) < LAST_USE_MS);

const endOfToken = ({ expireAt }: Pick<TokenRow, 'expireAt'>): Date | null =>
  expireAt === null ? null : new Date(expireAt);

const SECRET_BYTES = 32;
/** What the tokens of administrators begin with. */
export const SESSION_TOKEN = 'sps_';

/** A new opaque token; the prefix tells people and secret scanners what it is. */
export const newToken = (prefix: typeof SESSION_TOKEN | typeof API_TOKEN_PREFIX | 'spn_'): string =>
  prefix + randomBytes(SECRET_BYTES).toString('base64url');

/** What is stored of a token. It is random, so a plain hash cannot be turned back by guessing. */
export const hashOfToken = (token: string): string => hash('sha256', token);
