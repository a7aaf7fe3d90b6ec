import * as z from 'zod/mini';
import { findings, health, optionalFact, stored } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';

/** The two kinds of service, as they stand in paths and queries. */
export const serviceTypes = ['http', 'tcp'] as const;
export type ServiceType = (typeof serviceTypes)[number];

/** Facts that HTTP and TCP services share. */
export const serviceFacts = {
  ...stored,
  nodeId: z.int(),
  name: z.string(),
  domain: optionalFact(z.string()),
  backendHost: optionalFact(z.string()).check(
    z.meta({ description: "Null for a plain node: the backend is the node's own address." }),
  ),
  backendPort: z.int(),
  allowedIps: optionalFact(z.array(z.string())).check(
    z.meta({ description: 'Only these may come in; null: everybody.' }),
  ),
  blockedIps: optionalFact(z.array(z.string())).check(z.meta({ description: 'These may not; a block wins.' })),
  enabled: z.boolean(),
  expiresAt: optionalFact(z.string()).check(z.meta({ description: 'When the service closes by itself, ISO 8601.' })),
  publicAccess: z.string().check(z.meta({ description: 'Where visitors reach it, as a URL.' })),
  ...health,
  ...findings,
};

/** Input fields that HTTP and TCP services share. */
export const serviceFields = {
  name: field.requiredText(),
  domain: field.blankAsNull(field.domainName),
  backendHost: field.blankAsNull(field.host),
  allowedIps: z.optional(z.nullable(field.listOf(field.ipOrNetwork))),
  blockedIps: z.optional(z.nullable(field.listOf(field.ipOrNetwork))),
  ttl: field.blankAsNull(field.timeToLive),
};

/** Path parameters of the calls below `/api/services/{nodeId}`. */
export const ofNode = z.object({ nodeId: field.id }, { error: message.object });
export const serviceParams = z.object({ nodeId: field.id, id: field.id }, { error: message.object });

/** Filters of a service list. */
export const serviceFilter = {
  domain: z.optional(field.text(253)),
};

/** Filters of a list over all nodes. */
export const allServicesFilter = {
  ...serviceFilter,
  nodeId: z.optional(field.id),
};

/** The body of an enable call: how long the service stays open; nothing: until it is disabled. */
export const enableInput = z.strictObject({ ttl: field.blankAsNull(field.timeToLive) }, { error: message.object });
