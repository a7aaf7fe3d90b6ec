import * as z from 'zod/mini';
import { attribute, factsOf, givenOf, initialsOf } from './attribute.ts';
import { call } from './endpoint.ts';
import { described, idOf, optionalFact, rule, stored } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { createdNode, gatewayNetworks } from './node.ts';
import { listQuery, pageOf } from './paging.ts';

/** What an administrator says about a join key; a line is a field. */
export const joinKeyAttributes = {
  name: attribute.required(field.requiredText(), 'What it is called; so are the access tokens that come of it.'),
  nodeId: attribute.optional(
    field.integer(2, Number.MAX_SAFE_INTEGER),
    'The node that a host becomes with it; null: a new one.',
  ),
  reusable: attribute.defaulted(
    false,
    field.boolean,
    'Any number of hosts may join with it, each as a node of its own.',
  ),
  namePattern: attribute.optional(
    field.requiredText(100),
    'What the name of a new node must be like; `*` stands for any letters, as in `web-*`.',
  ),
  isGateway: attribute.defaulted(
    false,
    field.boolean,
    'The new node is a gateway: the host says which subnet is behind it, a private one.',
  ),
  expireAt: attribute.assigned(field.timestamp, 'ISO 8601; a day from now when it is left out.'),
};

/** By which a host joins without the password of the administrator. The code itself is never listed. */
export const joinKey = z.object({
  ...stored,
  ...factsOf(joinKeyAttributes),
  nodeName: described(
    optionalFact(z.string()),
    'What the node is called that a host becomes with it; null: a new one.',
  ),
  uses: described(z._default(z.int(), 0), 'How many hosts have joined with it.'),
  lastUsedAt: described(optionalFact(z.string()), 'ISO 8601; null: never used.'),
});
export type JoinKey = z.output<typeof joinKey>;

/** What a new join key starts with. */
export const joinKeyDefaults = initialsOf(joinKeyAttributes);

/** The fields of a new join key, without the rule that joins some of them. */
export const joinKeyShape = field.object(givenOf(joinKeyAttributes));

/** A new join key. What concerns a new node is not for one that there is. That it does not end in the past is a rule. */
export const joinKeyInput = joinKeyShape.check(
  rule<{ nodeId?: number | null | undefined } & { [K in 'reusable' | 'namePattern' | 'isGateway']?: unknown }>(
    ({ nodeId, reusable, namePattern, isGateway }) =>
      Object.entries({ reusable, namePattern, isGateway }).map(
        ([name, value]) => Boolean(nodeId) && Boolean(value) && { field: name, message: message.oneOf(['null']) },
      ),
  ),
);
/** What a caller gives for a new join key. */
export type JoinKeyInput = z.input<typeof joinKeyInput>;

/** A join key as its creation answers it. */
export const createdJoinKey = z.extend(joinKey, {
  code: described(z.string(), 'What the host is asked for, shown this once.'),
  command: described(
    z.nullable(z.string()),
    'The line that a host runs to join. It has no secret in it: it asks for the code, or reads it from the file that `SALLYPORT_CODE_FILE` names. Null: the public address is one by which each host means itself.',
  ),
});
export type CreatedJoinKey = z.output<typeof createdJoinKey>;

const CLAIM = /^[A-Za-z0-9_-]{20,100}$/;

/** What a host says when it joins. */
export const redeemInput = field.object({
  code: described(field.requiredText(100), 'The code of a join key, in any case, with or without its hyphens.'),
  claim: described(
    z.string({ error: message.string }).check(z.regex(CLAIM, { error: message.invalid })),
    'A random text of 20 to 100 letters and digits. Sent again with the same one, because its answer was lost, the call makes no second node.',
  ),
  name: described(z.optional(field.requiredText()), 'What the new node is called; the node of the key keeps its name.'),
  gatewayNetworks: described(z.optional(gatewayNetworks), 'The subnets behind it, where the key makes gateways.'),
});

const params = z.object({ id: idOf('the join key') }, { error: message.object });

/** The calls about join keys. */
export const joinKeyEndpoints = {
  list: call('GET', '/api/join-keys', 'Lists the join keys.', {
    rights: ['tokens:read'],
    query: field.object(listQuery(['id', 'name', 'expireAt', 'created_at'])),
    reply: pageOf(joinKey),
    paged: true,
  }),
  create: call(
    'POST',
    '/api/join-keys',
    'Makes a join key; its code is in this answer and nowhere else, with the line by which a host joins.',
    { rights: ['nodes:write', 'tokens:write'], body: joinKeyInput, reply: createdJoinKey },
  ),
  remove: call('DELETE', '/api/join-keys/{id}', 'Deletes the join key: no host can join with it any more.', {
    rights: ['tokens:write'],
    params,
    reply: z.string(),
  }),
  redeem: call(
    'POST',
    '/api/join',
    'Makes the caller a node by the code of a join key: answers the node and an access token of its own.',
    { access: 'open', body: redeemInput, reply: createdNode },
  ),
} as const;
