import * as z from 'zod/mini';
import { attribute, factsOf, givenOf, initialsOf } from './attribute.ts';
import { call, stream } from './endpoint.ts';
import { idOf, stored } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { listQuery, pageOf } from './paging.ts';
import { rule } from './rule.ts';
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
  nodeId: z.int().check(z.meta({ description: 'The node that it is on.' })),
  ...factsOf(tcpServiceAttributes),
  port: z.int().check(z.meta({ description: 'The public port.' })),
  ...serviceFacts,
});
export type TcpService = z.output<typeof tcpService>;

/** A port, or nothing (null, `""` or 0, as forms and older clients say it) for the next free one. */
const publicPort = z.optional(
  z.pipe(
    z.transform((value: number | '' | null | undefined) => (value === '' || value === 0 ? null : value)),
    z.nullish(field.port.check(z.meta({ description: 'The public port; the next free one when left out.' }))),
  ),
);

/** The fields of the TCP service form, without the rule that joins two of them. */
const tcpServiceShape = z.strictObject(
  { ...givenOf(tcpServiceAttributes), port: publicPort, ...timeToLive },
  { error: message.object },
);

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
export const tcpServiceQuery = z.strictObject({ ...listQuery(columns), ...serviceFilter }, { error: message.object });
/** The query of the TCP services of all nodes. */
export const allTcpServicesQuery = z.strictObject(
  { ...listQuery(columns), ...allServicesFilter },
  { error: message.object },
);

/** The calls about TCP and UDP services. */
export const tcpServiceEndpoints = {
  listAll: call({
    method: 'GET',
    path: '/api/services/tcp',
    summary: 'Lists the TCP and UDP services of all nodes, of a domain, or of a node.',
    access: 'admin',
    query: allTcpServicesQuery,
    reply: pageOf(tcpService),
    paged: true,
  }),
  watch: stream({
    path: '/api/services/tcp/stream',
    summary: 'Streams the page of TCP and UDP services that the query asks for, whole, whenever it changes.',
    access: 'admin',
    query: allTcpServicesQuery,
    event: pageOf(tcpService),
    reconnectMs: 1000,
  }),
  list: call({
    method: 'GET',
    path: '/api/services/{nodeId}/tcp',
    summary: 'Lists the TCP and UDP services of a node.',
    access: 'admin',
    params: ofNode,
    query: tcpServiceQuery,
    reply: pageOf(tcpService),
    paged: true,
  }),
  get: call({
    method: 'GET',
    path: '/api/services/{nodeId}/tcp/{id}',
    summary: 'Reads a TCP or UDP service.',
    access: 'admin',
    params: serviceParams,
    reply: tcpService,
  }),
  create: call({
    method: 'POST',
    path: '/api/services/{nodeId}/tcp',
    summary: 'Exposes a TCP or UDP port of the node; the answer comes when it is open.',
    access: 'admin',
    params: ofNode,
    body: tcpServiceInput,
    reply: savedTcpService,
  }),
  update: call({
    method: 'PATCH',
    path: '/api/services/{nodeId}/tcp/{id}',
    summary: 'Changes a TCP or UDP service; fields that are left out stay as they are.',
    access: 'admin',
    params: serviceParams,
    body: tcpServicePatch,
    reply: savedTcpService,
  }),
  enable: call({
    method: 'PATCH',
    path: '/api/services/{nodeId}/tcp/{id}/enable',
    summary: 'Opens the port, without a time to live.',
    access: 'admin',
    params: serviceParams,
    reply: tcpService,
  }),
  disable: call({
    method: 'PATCH',
    path: '/api/services/{nodeId}/tcp/{id}/disable',
    summary: 'Closes the port.',
    access: 'admin',
    params: serviceParams,
    reply: tcpService,
  }),
  remove: call({
    method: 'DELETE',
    path: '/api/services/{nodeId}/tcp/{id}',
    summary: 'Deletes the service.',
    access: 'admin',
    params: serviceParams,
    reply: z.string(),
  }),
} as const;
