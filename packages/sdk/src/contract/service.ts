import * as z from 'zod/mini';
import { attribute } from './attribute.ts';
import { call, stream } from './endpoint.ts';
import { described, findings, health, idOf, optionalFact } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { noteAttributes, tagFilter } from './notes.ts';
import { pageOf } from './paging.ts';

/** The two kinds of service, as they stand in paths and queries. */
export const serviceTypes = ['http', 'tcp'] as const;
export type ServiceType = (typeof serviceTypes)[number];

/** What an administrator says about a service of either kind. */
export const serviceAttributes = {
  name: attribute.required(field.requiredText(), 'What it is called.'),
  domain: attribute.optional(field.domainName, "The public domain; none: the gateway's own name."),
  backendHost: attribute.optional(
    field.host,
    "The backend's host behind a gateway; none for a plain node, which is its own backend.",
  ),
  allowedIps: attribute.optional(
    field.listOf(field.ipOrNetwork),
    'Only these addresses and networks may come in; none: everybody.',
  ),
  blockedIps: attribute.optional(
    field.listOf(field.ipOrNetwork),
    'These addresses and networks may not; a block wins.',
  ),
  ...noteAttributes,
};

/** What can have closed a service: an administrator, the access token of its node, or the end of its time to live. */
export const closers = ['administrator', 'node', 'time-limit'] as const;
export type Closer = (typeof closers)[number];

/** Facts that HTTP and TCP services share next to what an administrator says. */
export const serviceFacts = {
  enabled: described(z.boolean(), 'It is open to visitors.'),
  expiresAt: described(optionalFact(z.string()), 'When the service closes by itself, ISO 8601.'),
  closedAt: described(
    optionalFact(z.string()),
    'When it was closed, ISO 8601; null while it is open, and where that was not recorded.',
  ),
  closedBy: described(
    optionalFact(z.enum(closers)),
    'What closed it: an administrator, the access token of its node, or its time to live.',
  ),
  publicAccess: described(z.string(), 'Where visitors reach it, as a URL.'),
  ...health,
  ...findings,
};

/** What the answer to a write says next to the service. */
export const savedServiceFacts = {
  domainCreated: described(
    z._default(z.boolean(), false),
    'The domain was unknown and has been added, self-signed and without validation.',
  ),
  domainIsOwnName: described(
    z._default(z.boolean(), false),
    "The domain that was given is the gateway's own name, which means no domain.",
  ),
};

/** How long a service stays open from its saving on; it is stored as `expiresAt`. */
export const timeToLive = { ttl: field.blankAsNull(field.timeToLive) };

/** Path parameters of the calls below `/api/services/{nodeId}`. */
const ofNode = z.object({ nodeId: idOf('the node') }, { error: message.object });
/** Path parameters of the calls about one service of a node. */
export const serviceParams = z.object({ nodeId: idOf('the node'), id: idOf('the service') }, { error: message.object });

/** Filters of a service list. */
export const serviceFilter = {
  ...tagFilter,
  domain: z.optional(described(field.text(253), 'Only those of this domain.')),
};

/** Filters of a list over all nodes. */
export const allServicesFilter = {
  ...serviceFilter,
  nodeId: z.optional(described(field.id, 'Only those of this node.')),
};

/** A filter of the lists of one kind, within which ids are unique. */
export const oneServiceFilter = { id: z.optional(described(field.id, 'Only this one.')) };

/** The body of an enable call: how long the service stays open; nothing: until it is disabled. */
export const enableInput = field.object(timeToLive);

type Schema = z.ZodMiniType;

/** The calls that services of both types have. `words` says what they are called, and what opens and closes. */
export const serviceCalls = <
  Entity extends Schema,
  Saved extends Schema,
  Query extends Schema,
  AllQuery extends Schema,
  Input extends Schema,
  Patch extends Schema,
>(
  type: ServiceType,
  schemas: { entity: Entity; saved: Saved; query: Query; allQuery: AllQuery; input: Input; patch: Patch },
  words: { one: string; several: string; create: string; enable: string; disable: string },
) => {
  const { entity, saved, query, allQuery, input, patch } = schemas;
  const page = pageOf(entity);
  const all = `/api/services/${type}` as const;
  const path = `/api/services/{nodeId}/${type}` as const;
  const params = serviceParams;
  const read = { rights: ['services:read'], node: 'params.nodeId' } as const;
  const write = { rights: ['services:write'], node: 'params.nodeId' } as const;
  return {
    listAll: call('GET', all, `Lists the ${words.several} of all nodes, of a domain, or of a node.`, {
      rights: ['services:read'],
      node: 'reply',
      query: allQuery,
      reply: page,
      paged: true,
    }),
    watch: stream(
      `${all}/stream`,
      `Streams the page of ${words.several} that the query asks for, whole, whenever it changes.`,
      { rights: ['services:read'], node: 'reply', query: allQuery, event: page, reconnectMs: 1000 },
    ),
    list: call('GET', path, `Lists the ${words.several} of a node.`, {
      ...read,
      params: ofNode,
      query,
      reply: page,
      paged: true,
    }),
    get: call('GET', `${path}/{id}`, `Reads ${words.one}.`, { ...read, params, reply: entity }),
    create: call('POST', path, words.create, { ...write, params: ofNode, body: input, reply: saved }),
    update: call('PATCH', `${path}/{id}`, `Changes ${words.one}; fields that are left out stay as they are.`, {
      ...write,
      params,
      body: patch,
      reply: saved,
    }),
    enable: call('PATCH', `${path}/{id}/enable`, words.enable, { ...write, params, reply: entity }),
    disable: call('PATCH', `${path}/{id}/disable`, words.disable, { ...write, params, reply: entity }),
    remove: call('DELETE', `${path}/{id}`, 'Deletes the service.', { ...write, params, reply: z.string() }),
  } as const;
};
