import * as z from 'zod/mini';
import { attribute, factsOf, givenOf } from './attribute.ts';
import { call } from './endpoint.ts';
import { described, idOf, optionalFact, rule, stored } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { listQuery, pageOf } from './paging.ts';
import { hasDomainRights, type Right, rights } from './rights.ts';

/** What API tokens begin with, so that people and scanners of secrets recognise them. */
export const API_TOKEN_PREFIX = 'spa_';

/** What an administrator says about an API token; a line is a field. */
export const apiTokenAttributes = {
  name: attribute.required(field.requiredText(), 'What it is called.'),
  scope: attribute.required(
    field.listOf(field.oneOf(rights)).check(z.minLength(1, { error: message.required })),
    'What it may do: for each kind of object, `read` or `write`, which includes `read`.',
  ),
  nodes: attribute.optional(
    field.idList,
    'The nodes, by id, that it is limited to; all when left out. Such a token has no rights for domains.',
  ),
  expireAt: attribute.optional(field.timestamp, 'ISO 8601; null: never.'),
};

/** A token for programs, with a part of the administrator's rights. The secret itself is never listed. */
export const apiToken = z.object({
  ...stored,
  ...factsOf(apiTokenAttributes),
  prefix: described(z.string(), 'The beginning of the secret, by which it is recognised.'),
  lastUsedAt: described(optionalFact(z.string()), 'ISO 8601; null: never used.'),
});
export type ApiToken = z.output<typeof apiToken>;

const shape = field.object(givenOf(apiTokenAttributes));

/** A new API token. That its end is not in the past is a rule (`tokenExpiryProblem`). */
export const apiTokenInput = shape.check(
  rule<z.output<typeof shape>>(({ scope, nodes }) => [
    Array.isArray(nodes) && nodes.length === 0 && { field: 'nodes', message: message.required },
    Array.isArray(nodes) &&
      Array.isArray(scope) &&
      hasDomainRights(scope.filter((right): right is Right => typeof right === 'string')) && {
        field: 'scope',
        message: message.noDomainRights,
      },
  ]),
);
/** What a caller gives for a new API token. */
export type ApiTokenInput = z.input<typeof apiTokenInput>;

/** An API token as its creation answers it: `token` is shown this once. */
export const createdApiToken = z.extend(apiToken, {
  token: described(z.string(), 'The secret, shown this once.'),
});
export type CreatedApiToken = z.output<typeof createdApiToken>;

const params = z.object({ id: idOf('the API token') }, { error: message.object });

/** The calls about API tokens, for the administrator's own session alone. */
export const apiTokenEndpoints = {
  list: call('GET', '/api/tokens', 'Lists the API tokens.', {
    query: field.object(listQuery(['id', 'name', 'expireAt', 'created_at'])),
    reply: pageOf(apiToken),
    paged: true,
  }),
  create: call('POST', '/api/tokens', 'Makes an API token; its secret is in this answer and nowhere else.', {
    body: apiTokenInput,
    reply: createdApiToken,
  }),
  remove: call('DELETE', '/api/tokens/{id}', 'Deletes an API token: it is refused from now on, and its streams end.', {
    params,
    reply: z.string(),
  }),
} as const;
