import type * as z from 'zod/mini';
import { type EndpointName, endpoints } from './contract.ts';
import { type Endpoint, isRepeatable } from './endpoint.ts';
import { errorReplies, takesIfMatch } from './errorReply.ts';
import { type JsonSchema, REF_PREFIX, inputSchema, namedSchemas, replySchema } from './jsonSchema.ts';

type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: object;
  responses: Record<string, object>;
};
type Parameter = { name: string; in: string; required: boolean; description?: string; schema: JsonSchema };

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = {
  openapi: '3.1.0';
  info: { title: string; description: string; version: string; license: object };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: object;
};

const security: Record<Endpoint['access'], Record<string, string[]>[]> = {
  open: [],
  admin: [{ admin: [] }],
  node: [{ node: [] }],
  any: [{ admin: [] }, { node: [] }],
};

function parametersIn(place: 'path' | 'query', schema: z.ZodMiniType | undefined): Parameter[] {
  const { properties = {}, required = [] } = schema ? inputSchema(schema) : {};
  return Object.entries(properties).map(([name, json]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: json,
  }));
}

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The `version` that the thing must still have, in quotes.',
  schema: { type: 'string' },
};

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A key for this one write, such as a random UUID. Sent again with it within 24 hours, the write is answered and not carried out twice.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

/** A page, or without `limit` the bare array of all rows. */
function pageOrRows(schema: z.ZodMiniType): JsonSchema {
  const page = replySchema(schema);
  return { anyOf: [page, ...(page.properties?.['data'] ? [page.properties['data']] : [])] };
}

function successOf(endpoint: Endpoint): object {
  if (endpoint.kind === 'stream') {
    const schema = {
      type: 'string',
      description: 'Server-sent events; the data of each is one JSON value.',
      contentMediaType: 'application/json',
      contentSchema: replySchema(endpoint.event),
    };
    return { description: 'A stream of events.', content: { 'text/event-stream': { schema } } };
  }
  if (endpoint.kind === 'file') {
    return {
      description: `A file, \`${endpoint.fileName}\` unless \`Content-Disposition\` names it.`,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    };
  }
  const schema = endpoint.paged ? pageOrRows(endpoint.reply) : replySchema(endpoint.reply);
  return { description: 'Done.', content: { 'application/json': { schema } } };
}

function operationOf(name: EndpointName, endpoint: Endpoint): Operation {
  const body = endpoint.kind === 'call' ? endpoint.body : undefined;
  const parameters = [
    ...parametersIn('path', endpoint.params),
    ...parametersIn('query', endpoint.query),
    ...(takesIfMatch(endpoint) ? [ifMatch] : []),
    ...(isRepeatable(endpoint) ? [idempotencyKey] : []),
  ];
  const errors = errorReplies(name, endpoint).map((error) => [
    error.status,
    { $ref: `#/components/responses/${error.name}` },
  ]);
  return {
    operationId: name,
    tags: [name.split('.')[0] ?? ''],
    summary: endpoint.summary,
    security: [
      ...security[endpoint.access],
      ...(endpoint.rights === undefined ? [] : [{ apiToken: [...endpoint.rights] }]),
    ],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body
      ? {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { 'application/json': { schema: inputSchema(body) } },
          },
        }
      : {}),
    responses: { 200: successOf(endpoint), ...(Object.fromEntries(errors) as Record<string, object>) },
  };
}

/** Two endpoints of one method and path, told apart by the query: to OpenAPI they are one operation. */
function merged(first: Operation, second: Operation): Operation {
  const parameters = new Map<string, Parameter>();
  for (const parameter of [...(first.parameters ?? []), ...(second.parameters ?? [])]) {
    // What only one of the two requires cannot be required of both.
    const required = parameter.required && parameters.has(parameter.name);
    parameters.set(parameter.name, { ...parameter, required });
  }
  type Content = { content: { 'text/event-stream': { schema: { contentSchema: JsonSchema } } } };
  const [one, other] = [first, second].map(
    ({ responses }) => (responses['200'] as Content).content['text/event-stream'],
  );
  const contentSchema = { anyOf: [one?.schema.contentSchema, other?.schema.contentSchema] };
  const success = {
    ...first.responses['200'],
    content: { 'text/event-stream': { schema: { ...one?.schema, contentSchema } } },
  };
  return {
    ...second,
    summary: `${second.summary} With \`id\`: ${first.summary}`,
    parameters: [...parameters.values()],
    responses: { ...second.responses, 200: success },
  };
}

const errorComponents = () => {
  const content = { 'application/json': { schema: { $ref: `${REF_PREFIX}Error` } } };
  const all = endpoints.flatMap(({ name, endpoint }) => errorReplies(name, endpoint));
  return Object.fromEntries(all.map(({ name, description }) => [name, { description, content }]));
};

/** The whole interface as an OpenAPI 3.1 document, for `GET /api/openapi.json` and for tools of others. */
export function openApiDocument({ version }: { version: string }): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const { name, endpoint } of endpoints) {
    const methods = (paths[endpoint.path] ??= {});
    const method = endpoint.method.toLowerCase();
    const operation = operationOf(name, endpoint);
    const before = methods[method];
    methods[method] = before ? merged(before, operation) : operation;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sallyport',
      description: 'The interface of a Sallyport gateway.',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [...new Set(endpoints.map(({ name }) => name.split('.')[0] ?? ''))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        admin: {
          type: 'http',
          scheme: 'bearer',
          description: "An administrator's token, from `POST /api/auth/login`.",
        },
        node: { type: 'http', scheme: 'bearer', description: "A node's access token." },
        apiToken: { type: 'http', scheme: 'bearer', description: 'An API token with these rights.' },
      },
      schemas: namedSchemas,
      responses: errorComponents(),
    },
  };
}
