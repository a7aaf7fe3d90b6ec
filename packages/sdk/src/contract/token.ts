import * as z from 'zod/mini';
import { attribute, factsOf, givenOf } from './attribute.ts';
import { call } from './endpoint.ts';
import { described, idOf, optionalFact, stored } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { listQuery, pageOf } from './paging.ts';

/** What an administrator says about an access token; a line is a field. */
export const tokenAttributes = {
  name: attribute.required(field.requiredText(), 'What it is called.'),
  expireAt: attribute.optional(field.timestamp, 'ISO 8601; null: never.'),
};

/** A node's access token. The secret itself is never listed. */
export const token = z.object({
  ...stored,
  nodeId: described(z.int(), 'The node that it is for.'),
  ...factsOf(tokenAttributes),
  revoked: described(z._default(z.boolean(), false), 'It is refused.'),
  lastUsedAt: described(optionalFact(z.string()), 'ISO 8601; null: never used.'),
});
export type Token = z.output<typeof token>;

/** A new access token; `""` for `expireAt` means never. That it is not in the past is a rule (`tokenExpiryProblem`). */
export const tokenInput = field.object(givenOf(tokenAttributes));
/** What a caller gives for a new access token. */
export type TokenInput = z.input<typeof tokenInput>;

/** An access token as its creation answers it: `token` is shown this once. */
export const createdToken = z.extend(token, {
  token: described(z.string(), 'The secret, shown this once.'),
});
export type CreatedToken = z.output<typeof createdToken>;

const ofNode = z.object({ id: idOf('the node') }, { error: message.object });
const params = z.object({ id: idOf('the node'), tokenId: idOf('the token') }, { error: message.object });

/** The calls about access tokens. */
export const tokenEndpoints = {
  list: call('GET', '/api/nodes/{id}/pats', "Lists a node's access tokens.", {
    rights: ['tokens:read'],
    node: 'params.id',
    params: ofNode,
    query: field.object(listQuery(['id', 'name', 'expireAt', 'created_at'])),
    reply: pageOf(token),
    paged: true,
  }),
  create: call(
    'POST',
    '/api/nodes/{id}/pats',
    'Makes an access token; its secret is in this answer and nowhere else.',
    { rights: ['tokens:write'], node: 'params.id', params: ofNode, body: tokenInput, reply: createdToken },
  ),
  revoke: call(
    'PATCH',
    '/api/nodes/{id}/pats/{tokenId}/revoke',
    'Refuses the token from now on; a tunnel that is up stays up.',
    { rights: ['tokens:write'], node: 'params.id', params, reply: token },
  ),
  remove: call('DELETE', '/api/nodes/{id}/pats/{tokenId}', 'Deletes the token.', {
    rights: ['tokens:write'],
    node: 'params.id',
    params,
    reply: z.string(),
  }),
} as const;
