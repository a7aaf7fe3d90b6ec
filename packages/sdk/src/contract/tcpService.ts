import * as z from 'zod/mini';
import { attribute, factsOf, givenOf, initialsOf } from './attribute.ts';
import { described, idOf, rule, stored } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { listQuery } from './paging.ts';
import {
  allServicesFilter,
  oneServiceFilter,
  savedServiceFacts,
  serviceAttributes,
  serviceCalls,
  serviceFacts,
  serviceFilter,
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
export const allTcpServicesQuery = field.object({ ...listQuery(columns), ...allServicesFilter, ...oneServiceFilter });

/** The calls about TCP and UDP services. */
export const tcpServiceEndpoints = serviceCalls(
  'tcp',
  {
    entity: tcpService,
    saved: savedTcpService,
    query: tcpServiceQuery,
    allQuery: allTcpServicesQuery,
    input: tcpServiceInput,
    patch: tcpServicePatch,
  },
  {
    one: 'a TCP or UDP service',
    several: 'TCP and UDP services',
    create: 'Exposes a TCP or UDP port of the node; the answer comes when it is open.',
    enable: 'Opens the port, without a time to live.',
    disable: 'Closes the port.',
  },
);
