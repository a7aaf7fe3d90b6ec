import * as z from 'zod/mini';
import { attribute, factsOf, givenOf } from './attribute.ts';
import { call } from './endpoint.ts';
import { idOf, optionalFact, stored } from './entity.ts';
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
  nodeId: z.int().check(z.meta({ description: 'The node that it is for.' })),
  ...factsOf(tokenAttributes),
  revoked: z._default(z.boolean(), false).check(z.meta({ description: 'It is refused.' })),
  lastUsedAt: optionalFact(z.string()).check(z.meta({ description: 'ISO 8601; null: never used.' })),
});
export type Token = z.output<typeof token>;

/** A new access token; `""` for `expireAt` means never. That it is not in the past is a rule (`tokenExpiryProblem`). */
export const tokenInput = z.strictObject(givenOf(tokenAttributes), { error: message.object });
/** What a caller gives for a new access token. */
export type TokenInput = z.input<typeof tokenInput>;

/** An access token as its creation answers it: `token` is shown this once. */
export const createdToken = z.extend(token, {
  token: z.string().check(z.meta({ description: 'The secret, shown this once.' })),
});
export type CreatedToken = z.output<typeof createdToken>;

const ofNode = z.object({ id: idOf('the node') }, { error: message.object });
const params = z.object({ id: idOf('the node'), tokenId: idOf('the token') }, { error: message.object });

/** The calls about access tokens. */
export const tokenEndpoints = {
  list: call({
    method: 'GET',
    path: '/api/nodes/{id}/pats',
    summary: "Lists a node's access tokens.",
    access: 'admin',
    params: ofNode,
    query: z.strictObject(listQuery(['id', 'name', 'expireAt', 'created_at']), { error: message.object }),
    reply: pageOf(token),
    paged: true,
  }),
  create: call({
    method: 'POST',
    path: '/api/nodes/{id}/pats',
    summary: 'Makes an access token; its secret is in this answer and nowhere else.',
    access: 'admin',
    params: ofNode,
    body: tokenInput,
    reply: createdToken,
  }),
  revoke: call({
    method: 'PATCH',
    path: '/api/nodes/{id}/pats/{tokenId}/revoke',
    summary: 'Refuses the token from now on; a tunnel that is up stays up.',
    access: 'admin',
    params,
    reply: token,
  }),
  remove: call({
    method: 'DELETE',
    path: '/api/nodes/{id}/pats/{tokenId}',
    summary: 'Deletes the token.',
    access: 'admin',
    params,
    reply: z.string(),
  }),
} as const;
