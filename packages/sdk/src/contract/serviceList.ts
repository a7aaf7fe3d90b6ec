import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { described, optionalFact } from './entity.ts';
import { field } from './field.ts';
import { httpService } from './httpService.ts';
import { listQuery, pageOf } from './paging.ts';
import { allServicesFilter, type ServiceType, serviceTypes } from './service.ts';
import { tcpProtos, tcpService } from './tcpService.ts';

/**
 * How a service is, in a word: its backend answers or does not, it is closed to visitors, it is open and cannot be served as
 * saved, or its backend was not asked (yet). `serviceStatus` of the rules says which.
 */
export const serviceStatuses = ['up', 'down', 'closed', 'failing', 'unknown'] as const;
export type ServiceStatus = (typeof serviceStatuses)[number];

/** Who may come in: everyone, those who sign in, or by a list of addresses that are let in or kept out. */
export const serviceAccesses = ['open', 'sign-in', 'list'] as const;
export type ServiceAccess = (typeof serviceAccesses)[number];

/** What a row of the list says of a service next to the service itself. */
const rowFacts = {
  nodeName: described(z.string(), 'What its node is called.'),
  nodeAddress: described(z.string(), "Its node's address, which is the backend where it names no other."),
  lastRequestAt: described(
    optionalFact(z.string()),
    'When its last request or connection ended, ISO 8601; null when its log has none.',
  ),
};

const type = <const T extends ServiceType>(name: T) => described(z.literal(name), 'The kind of the service.');

/** An HTTP service in the list of all services. */
export const listedHttpService = z.object({ type: type('http'), ...httpService.shape, ...rowFacts });
/** A TCP or UDP service in the list of all services. */
export const listedTcpService = z.object({ type: type('tcp'), ...tcpService.shape, ...rowFacts });
/** A service of either kind in the list of all services; ids are unique within a kind. */
export type ListedService = z.output<typeof listedHttpService> | z.output<typeof listedTcpService>;

/** What the list of all services can be ordered by. */
const columns = ['id', 'name', 'node', 'address', 'domain', 'pathLocation', 'port', 'enabled', 'created_at'] as const;

/** The query of the list of all services: what it names must all be so. */
export const serviceQuery = field.object({
  ...listQuery(columns),
  ...allServicesFilter,
  type: z.optional(described(field.oneOf(serviceTypes), 'HTTP services alone, or TCP and UDP services alone.')),
  proto: z.optional(described(field.oneOf(tcpProtos), 'Only TCP services, or only UDP services.')),
  status: z.optional(described(field.oneOf(serviceStatuses), 'Only those that are so.')),
  access: z.optional(
    described(
      field.oneOf(serviceAccesses),
      'Only those that let in everyone, who signs in, or by a list of addresses.',
    ),
  ),
});
export type ServiceQuery = z.output<typeof serviceQuery>;

/** The calls about services of both kinds. */
export const serviceEndpoints = {
  list: call(
    'GET',
    '/api/services',
    'Lists the services of both kinds and all nodes; `search` looks into name, address, backend, the name of the node, tags and notes.',
    {
      rights: ['services:read'],
      node: 'reply',
      query: serviceQuery,
      reply: pageOf(z.union([listedHttpService, listedTcpService])),
      paged: true,
    },
  ),
} as const;
