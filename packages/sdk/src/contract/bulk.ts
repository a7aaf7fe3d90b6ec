import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { described, findings, idOf, optionalFact, rule } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { BULK_MAX } from './paging.ts';
import { serviceTypes, timeToLive } from './service.ts';

/** What can be done to many services in one call. */
export const bulkActions = ['enable', 'disable', 'tag', 'limit', 'remove'] as const;
export type BulkAction = (typeof bulkActions)[number];

/** Which service: ids are unique within a kind. */
const bulkItem = field.object({
  type: described(field.oneOf(serviceTypes), 'The kind of the service.'),
  id: idOf('the service'),
  version: z.optional(
    described(
      field.integer(1, Number.MAX_SAFE_INTEGER),
      'The version that the change is based on: another one is refused (412). Left out: as it is by then.',
    ),
  ),
});

const tags = (description: string) => z.optional(described(field.tags(), description));
const shape = field.object({
  action: described(
    field.oneOf(bulkActions),
    '`limit` sets the time limit `ttl`, `tag` adds `addTags` and takes `removeTags` away.',
  ),
  items: described(
    z
      .array(bulkItem, { error: message.array })
      .check(z.minLength(1, { error: message.required }), z.maxLength(BULK_MAX, { error: message.arrayMax(BULK_MAX) })),
    `The services, ${BULK_MAX} at most.`,
  ),
  ...timeToLive,
  addTags: tags('Tags that they get, next to those that they have.'),
  removeTags: tags('Tags that are taken away from them, in any case.'),
});

const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

/** What is done to which services. A time limit of null takes it away. */
export const bulkInput = shape.check(
  rule<z.output<typeof shape>>(({ action, ttl, addTags, removeTags }) => [
    action === 'limit' && ttl === undefined && { field: 'ttl', message: message.required },
    action === 'tag' && isEmpty(addTags) && isEmpty(removeTags) && { field: 'addTags', message: message.required },
  ]),
);
/** What a caller gives to change many services. */
export type BulkInput = z.input<typeof bulkInput>;

/** What became of one of the services. */
export const bulkResult = z.object({
  type: described(z.enum(serviceTypes), 'The kind of the service.'),
  id: described(z.int(), 'The number of the service.'),
  status: described(
    z.int(),
    'As the call about this service alone would have answered it: 200, or 400, 404, 412, 422.',
  ),
  message: described(
    optionalFact(z.string()),
    'Why it was refused and is as before, in a sentence; null: it was done.',
  ),
  version: described(optionalFact(z.int()), 'Its version by now; null when it was refused or deleted.'),
  ...findings,
});
export type BulkResult = z.output<typeof bulkResult>;

/** The answer: as many results as there were services, in their order. */
export const bulkReply = z.object({
  results: described(z.array(bulkResult), 'What became of each service, in the order of the items.'),
});

/** The calls about many objects at once. */
export const bulkEndpoints = {
  services: call(
    'POST',
    '/api/services/bulk',
    'Enables, disables, tags, limits or deletes many services: each by itself is done or refused, and nginx loads once.',
    { rights: ['services:write'], node: 'reply', body: bulkInput, reply: bulkReply },
  ),
} as const;
