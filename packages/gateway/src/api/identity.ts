import { type Endpoint, hasRight, type Right } from '@sallyport/sdk/contract';
import { failure } from './failure.ts';

// Who calls, and what they may call.

/** Whom a token belongs to. */
export type Identity = AdminIdentity | NodeIdentity | ApiIdentity;
export type AdminIdentity = {
  type: 'admin';
  name: string;
  tokenHash: string;
  /** The key that each request has to prove; null: the token is enough. */
  keyThumbprint: string | null;
  expiresAt: Date;
  /** 0: it is not saved. */
  sessionId: number;
  lastUsedAt: string | null;
  /** The token died by the call that is repeated with it: it may only be told again what that call came to. */
  repeatsOnly?: true;
};
/** `name` is that of the access token; without an end, `expiresAt` is null. */
export type NodeIdentity = {
  type: 'node';
  nodeId: number;
  tokenId: number;
  name: string;
  tokenHash: string;
  expiresAt: Date | null;
  repeatsOnly?: true;
};

/** A program that has an API token: it may do what `scope` says, at the nodes that it is limited to (null: at all). */
export type ApiIdentity = {
  type: 'api';
  tokenId: number;
  name: string;
  tokenHash: string;
  expiresAt: Date | null;
  scope: readonly Right[];
  nodes: readonly number[] | null;
  repeatsOnly?: never;
};

/**
 * Refuses a caller for whom the endpoint is not. Only a node's own access token acts for a node, and for nothing else; an
 * API token makes the calls that its scope has all rights for.
 * @throws {Failure} 403
 */
export function requireAccess(caller: Identity, { access, rights, node }: AccessOf): void {
  if (caller.type !== 'api') {
    if (access !== 'any' && access !== caller.type) throw failure.forbidden();
    return;
  }
  if (access === 'node') throw failure.forbidden();
  if (rights === undefined) throw failure.outOfScope(null);
  for (const right of rights) requireRight(caller, right);
  if (caller.nodes !== null && node === undefined) throw failure.limitedToNodes();
}

/** What of an endpoint says for whom it is. */
export type AccessOf = Pick<Endpoint, 'access' | 'rights' | 'node'>;

/** Refuses an API token that has not this right. @throws {Failure} 403 */
export function requireRight(caller: Identity | null, right: Right): void {
  if (caller?.type === 'api' && !hasRight(caller.scope, right)) throw failure.outOfScope(right);
}

/**
 * Refuses a call about a node that the caller's API token is not for: to it, that node is not there.
 * @throws {Failure} 404
 */
export function requireOwnNode(
  caller: Identity | null,
  { node }: Pick<Endpoint, 'node'>,
  input: { params?: unknown; query?: unknown },
): void {
  if (caller?.type !== 'api' || caller.nodes === null || node === 'reply') return;
  const [part = '', name = ''] = node?.split('.') ?? [];
  const values = input[part as keyof typeof input] as Record<string, unknown> | undefined;
  if (!caller.nodes.includes(values?.[name] as number)) throw failure.notFound('Node not found!');
}

/** Whether a node's own host calls: by its access token, or, where the endpoint is open, by the code of a join key. */
export const isHost = (caller: Identity | null): boolean => caller === null || caller.type === 'node';

/** Whether the caller may be told of the gateway as a whole: an administrator, or a program whose token is for all nodes. */
export const isForAllNodes = (caller: Identity | null): boolean => !isHost(caller) && nodesOf(caller) === null;

/** The nodes that the caller's token is for; null: all. */
export function nodesOf(caller: Identity | null): readonly number[] | null {
  if (caller?.type === 'node') return [caller.nodeId];
  return caller?.type === 'api' ? caller.nodes : null;
}
