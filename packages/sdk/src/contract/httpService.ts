import * as z from 'zod/mini';
import { attribute, factsOf, givenOf, initialsOf } from './attribute.ts';
import { call } from './endpoint.ts';
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
  serviceParams,
  timeToLive,
} from './service.ts';

/** How the gateway speaks to a backend. */
export const backendProtos = ['http', 'https'] as const;

// One line is a path, or `^` and a pattern; none of it may mean anything to nginx beyond that. Whether a pattern can be
// matched is the gateway's to say: it has the engine that does it.
const ROUTE = /^(?:\/|\^)[^\s\p{Cc}"'`;&<>{}]*$/u;

const isRoute = (line: string): boolean => line === '' || ROUTE.test(line);

const bypassRoutes = z.string({ error: message.string }).check(
  z.maxLength(4000, { error: message.maxLength(4000) }),
  z.refine((lines) => lines.split('\n').every(isRoute), { error: message.invalid }),
);

// Below it the gateway answers itself wherever visitors sign in, and any domain may be such a one tomorrow.
const RESERVED_PATH = '/.sallyport';

const publicPath = field.urlPath.check(
  z.refine((path) => !`${path}/`.startsWith(`${RESERVED_PATH}/`), { error: message.reservedPath }),
);

/** What an administrator says about an HTTP service; a line is a field. */
export const httpServiceAttributes = {
  ...serviceAttributes,
  pathLocation: attribute.initially('/', publicPath, 'The public path; begins with `/`.'),
  backendProto: attribute.initially('http', field.oneOf(backendProtos), 'How the backend is spoken to.'),
  backendPort: attribute.initially(80, field.port, 'The port of the backend.'),
  requireAuth: attribute.initially(
    false,
    field.boolean,
    'Visitors must sign in (the domain has OAuth2 authentication).',
  ),
  skipAuthRoutes: attribute.optional(
    bypassRoutes,
    'Paths below the service that visitors may see without signing in, one a line: a path, or ^ and a pattern.',
  ),
};

/** A web server on a node, made public under a domain and a path. */
export const httpService = z.object({
  ...stored,
  nodeId: described(z.int(), 'The node that it is on.'),
  ...factsOf(httpServiceAttributes),
  ...serviceFacts,
  ssl: described(z._default(z.boolean(), true), 'Visitors reach it over HTTPS.'),
  builtin: described(
    z._default(z.boolean(), false),
    "The gateway's own console: its host, path, protocol and port are locked.",
  ),
});
export type HttpService = z.output<typeof httpService>;

/** The fields of the HTTP service form, without the rule that joins two of them. */
const httpServiceShape = field.object({ ...givenOf(httpServiceAttributes), ...timeToLive });

/** A new HTTP service: reached by a domain, a path, or both. */
export const httpServiceInput = httpServiceShape.check(
  rule<z.output<typeof httpServiceShape>>(({ domain, pathLocation }) => [
    !domain && !pathLocation && { field: 'domain', message: message.domainOrPath },
  ]),
);
/** What a caller gives for a new HTTP service. */
export type HttpServiceInput = z.input<typeof httpServiceInput>;

/** A change of an HTTP service: what is left out stays as it is. */
export const httpServicePatch = z.extend(z.partial(httpServiceShape), { id: z.optional(idOf('the service')) });

/** What a new HTTP service starts with. */
export const httpServiceDefaults = initialsOf(httpServiceAttributes);

/** An HTTP service as a write answers it. */
export const savedHttpService = z.extend(httpService, savedServiceFacts);
export type SavedHttpService = z.output<typeof savedHttpService>;

const columns = ['id', 'name', 'domain', 'pathLocation', 'enabled', 'created_at'] as const;

/** The query of a node's HTTP services. */
export const httpServiceQuery = field.object({ ...listQuery(columns), ...serviceFilter });
/** The query of the HTTP services of all nodes. */
export const allHttpServicesQuery = field.object({ ...listQuery(columns), ...allServicesFilter, ...oneServiceFilter });

const { listAll, watch, list, get, ...writes } = serviceCalls(
  'http',
  {
    entity: httpService,
    saved: savedHttpService,
    query: httpServiceQuery,
    allQuery: allHttpServicesQuery,
    input: httpServiceInput,
    patch: httpServicePatch,
  },
  {
    one: 'an HTTP service',
    several: 'HTTP services',
    create: 'Exposes a web server of the node; the answer comes when visitors can reach it.',
    enable: 'Opens the service to visitors, without a time to live.',
    disable: 'Closes the service to visitors.',
  },
);

/** The calls about HTTP services. */
export const httpServiceEndpoints = {
  listAll,
  watch,
  list,
  get,
  ping: call(
    'GET',
    '/api/services/{nodeId}/http/{id}/ping',
    'Asks the backend whether it answers: 200, or 400 with the reason.',
    {
      rights: ['services:read'],
      node: 'params.nodeId',
      params: serviceParams,
      query: field.object({
        path: z.optional(
          described(field.text(2000), 'Taken for other clients; the backend is sent no request of its own.'),
        ),
      }),
      reply: z.object({ status: described(z.int(), '200.') }),
    },
  ),
  ...writes,
} as const;
