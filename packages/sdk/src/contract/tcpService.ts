import * as z from 'zod/mini';
import { attribute, factsOf, givenOf, initialsOf } from './attribute.ts';
import { call, stream } from './endpoint.ts';
import { described, idOf, rule, stored } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { listQuery, pageOf } from './paging.ts';
import {
  allServicesFilter,
  ofNode,
  savedServiceFacts,
  serviceAttributes,
  serviceFacts,
  serviceFilter,
  serviceParams,
  timeToLive,
} from './service.ts';

/** The transports of a TCP service. */
export const tcpProtos = ['tcp', 'udp'] as const;

/** What an administrator says about a TCP service; a line is a field. */
export const tcpServiceAttributes = {
  ...serviceAttributes,
  proto: attribute.initially('tcp', field.oneOf(tcpProtos), 'The transport.'),
  backendPort: attribute.required(field.port, 'The port of the backend.'),
  ssl: attribute.initially(false, field.boolean, 'The gateway terminates TLS.'),
};

/** A TCP or UDP port of a node, made public under a port of the gateway. */
export const tcpService = z.object({
  ...stored,
  nodeId: described(z.int(), 'The node that it is on.'),
  ...factsOf(tcpServiceAttributes),
  port: described(z.int(), 'The public port.'),
  ...serviceFacts,
});
export type TcpService = z.output<typeof tcpService>;

/** A port, or nothing (null, `""` or 0, as forms and older clients say it) for the next free one. */
const publicPort = z.optional(
  z.pipe(
    z.transform((value: number | '' | null | undefined) => (value === '' || value === 0 ? null : value)),
    z.nullish(described(field.port, 'The public port; the next free one when left out.')),
  ),
);

/** The fields of the TCP service form, without the rule that joins two of them. */
const tcpServiceShape = field.object({ ...givenOf(tcpServiceAttributes), port: publicPort, ...timeToLive });

/** A new TCP service; without `port` the gateway takes the next free one of its range. TLS needs TCP. */
export const tcpServiceInput = tcpServiceShape.check(
  rule<z.output<typeof tcpServiceShape>>(({ proto, ssl }) => [
    proto === 'udp' && ssl === true && { field: 'ssl', message: message.sslOverUdp },
  ]),
);
/** What a caller gives for a new TCP or UDP service. */
export type TcpServiceInput = z.input<typeof tcpServiceInput>;

/** A change of a TCP service: what is left out stays as it is, and so does the port when it is null. */
export const tcpServicePatch = z.extend(z.partial(tcpServiceShape), { id: z.optional(idOf('the service')) });

/** What a new TCP service starts with; the form suggests the backend port of MQTT. */
export const tcpServiceDefaults = { ...initialsOf(tcpServiceAttributes), backendPort: 1883 } as const;

/** A TCP service as a write answers it. */
export const savedTcpService = z.extend(tcpService, savedServiceFacts);
export type SavedTcpService = z.output<typeof savedTcpService>;

const columns = ['id', 'name', 'domain', 'port', 'enabled', 'created_at'] as const;

/** The query of a node's TCP services. */
export const tcpServiceQuery = field.object({ ...listQuery(columns), ...serviceFilter });
/** The query of the TCP services of all nodes. */
export const allTcpServicesQuery = field.object({ ...listQuery(columns), ...allServicesFilter });

/** The calls about TCP and UDP services. */
export const tcpServiceEndpoints = {
  listAll: call('GET', '/api/services/tcp', 'Lists the TCP and UDP services of all nodes, of a domain, or of a node.', {
    query: allTcpServicesQuery,
    reply: pageOf(tcpService),
    paged: true,
  }),
  watch: stream(
    '/api/services/tcp/stream',
    'Streams the page of TCP and UDP services that the query asks for, whole, whenever it changes.',
    { query: allTcpServicesQuery, event: pageOf(tcpService), reconnectMs: 1000 },
  ),
  list: call('GET', '/api/services/{nodeId}/tcp', 'Lists the TCP and UDP services of a node.', {
    params: ofNode,
    query: tcpServiceQuery,
    reply: pageOf(tcpService),
    paged: true,
  }),
  get: call('GET', '/api/services/{nodeId}/tcp/{id}', 'Reads a TCP or UDP service.', {
    params: serviceParams,
    reply: tcpService,
  }),
  create: call(
    'POST',
    '/api/services/{nodeId}/tcp',
    'Exposes a TCP or UDP port of the node; the answer comes when it is open.',
    { params: ofNode, body: tcpServiceInput, reply: savedTcpService },
  ),
  update: call(
    'PATCH',
    '/api/services/{nodeId}/tcp/{id}',
    'Changes a TCP or UDP service; fields that are left out stay as they are.',
    { params: serviceParams, body: tcpServicePatch, reply: savedTcpService },
  ),
  enable: call('PATCH', '/api/services/{nodeId}/tcp/{id}/enable', 'Opens the port, without a time to live.', {
    params: serviceParams,
    reply: tcpService,
  }),
  disable: call('PATCH', '/api/services/{nodeId}/tcp/{id}/disable', 'Closes the port.', {
    params: serviceParams,
    reply: tcpService,
  }),
  remove: call('DELETE', '/api/services/{nodeId}/tcp/{id}', 'Deletes the service.', {
    params: serviceParams,
    reply: z.string(),
  }),
} as const;
