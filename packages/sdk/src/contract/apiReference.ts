import { type EndpointName, type Group, contract, endpoints, groupTexts } from './contract.ts';
import type { Endpoint } from './endpoint.ts';
import { errorReplies } from './errorReply.ts';
import { descriptionOf, type JsonSchema, REF_PREFIX, inputSchema, namedSchemas, replySchema } from './jsonSchema.ts';

const access: Record<Endpoint['access'], string> = {
  open: 'everyone',
  admin: 'the administrator',
  node: "the holder of a node's access token",
  any: "the administrator, or the holder of a node's access token",
};

/** Which API tokens may make the call. */
function apiTokenText({ rights, node }: Endpoint): string {
  if (rights === undefined) return '';
  const which = rights.length === 0 ? 'any' : `one with ${rights.map((right) => `\`${right}\``).join(' and ')}`;
  return ` API token: ${which}${node === undefined ? ', for all nodes' : ''}.`;
}

const INTRODUCTION = `# The API

<!-- Written by \`pnpm generate\` from the contract in packages/sdk/src/contract; do not edit. -->

Every call is JSON over HTTP below the gateway's address. The token goes into \`Authorization: Bearer TOKEN\`. The names
are those of the SDK: \`node.list\` is \`client.node.list(…)\`. [openapi.json](openapi.json) says the same for tools, and a
gateway serves it at \`GET /api/openapi.json\`.

An error is always an [Error](#error); its kind is what the SDK calls it. For an optional field \`""\` means null. A \`PATCH\`
or \`DELETE\` of one thing takes \`If-Match: "VERSION"\`, and answers 412 when it has changed meanwhile. A body over 1 MB is
refused with 413.

A program signs in with an API token (\`spa_…\`, made by \`apiToken.create\`), which may do what its \`scope\` says and nothing
else: each call below names the rights that it needs. A call that names none is for the administrator's own session. A call that
the token may not make is answered 403. A token for some nodes sees and changes those nodes and what is on them; the others are
not there for it.

A browser keeps few connections to a host. \`GET /api/streams?of=LINES\` carries several streams over one: a line for each,
with the path and query of a stream below and, after \`#\`, the id of the last event that was read. An event's type is the number
of its line, from 0; \`N/open\` comes first (\`{ status, restarted, body }\` of the answer that the stream alone would have had),
\`N/end\` last. At most 16 lines.

A write takes \`Idempotency-Key: KEY\`: a key of the caller's choice for this one write, such as a random UUID, of at most 200
characters. When the reply is lost, send the same write again with the same key. It is carried out once: the reply then has
\`Idempotency-Replayed: true\` and shows the thing as it is now. A write that still runs is waited for. One that was refused
has changed nothing, so it is tried again. Another write with the key of an earlier one answers 409; so does a repeated one
whose object was deleted meanwhile. Replies with a secret are not stored: a repeated \`node.create\`, \`token.create\`,
\`apiToken.create\` or \`cli.regenerate\` makes another secret and voids the first one, as long as that was not used; afterwards it answers 409
(\`cli.regenerate\` 401, for its old token is refused). Keys are kept for 24 hours, the last 1000 of the administrator, of each
node and of each API token, and across restarts. Signing in takes none: doing it twice does no harm. Neither does
\`session.changePassword\`: nothing that a password could be guessed by is kept.`;

/** A schema in a few words, for a table's cell. */
function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(REF_PREFIX.length);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum) return schema.enum.map((option) => `\`${String(option)}\``).join(', ');
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array') return schema.items ? `list of ${typeOf(schema.items)}` : 'list';
  return `${schema.type ?? 'anything'}${boundsOf(schema)}`;
}

function boundsOf({ minimum, maximum, maxLength }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` (${minimum} to ${maximum})`;
  if (minimum !== undefined) return ` (from ${minimum})`;
  return maxLength === undefined ? '' : ` (at most ${maxLength} characters)`;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

type Row = { name: string; schema: JsonSchema; isRequired: boolean };

/** The fields of an object, those of nested objects and lists of objects right below them. */
function rowsOf({ properties = {}, required = [] }: JsonSchema, prefix = ''): Row[] {
  const rows: Row[] = [];
  for (const [name, field] of Object.entries(properties)) {
    const path = prefix + name;
    const list = [field, ...(field.anyOf ?? [])].find(({ items }) => items?.properties)?.items;
    rows.push({ name: path, schema: field, isRequired: required.includes(name) });
    if (field.properties) rows.push(...rowsOf(field, `${path}.`));
    if (list) rows.push(...rowsOf(list, `${path}[].`));
  }
  return rows;
}

function inputTable(title: string, schema: JsonSchema): string[] {
  const rows = rowsOf(schema).map(
    ({ name, schema: field, isRequired }) =>
      `| \`${name}\` | ${cell(typeOf(field))} | ${isRequired ? 'yes' : ''} | ${cell(descriptionOf(field))} |`,
  );
  return rows.length === 0 ? [] : ['', `| ${title} | type | required | |`, '|---|---|---|---|', ...rows];
}

function replyTable(rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  return [
    '',
    '| field | type | |',
    '|---|---|---|',
    ...rows.map(({ name, schema, isRequired }) => {
      const type = `${typeOf(schema)}${isRequired ? '' : ', may be absent'}`;
      return `| \`${name}\` | ${cell(type)} | ${cell(descriptionOf(schema))} |`;
    }),
  ];
}

function replyOf(endpoint: Endpoint): string[] {
  if (endpoint.kind === 'file') {
    return ['', `Reply: a file, \`${endpoint.fileName}\` unless \`content-disposition\` names it.`];
  }
  if (endpoint.kind === 'stream') {
    const event = replySchema(endpoint.event);
    const wait = endpoint.reconnectMs;
    const policy = wait === null ? 'does not connect again by itself' : `connects again after ${wait} ms`;
    return ['', `Stream: each event is a ${pageText(event) ?? typeOf(event)}. When it breaks off the SDK ${policy}.`];
  }
  const reply = replySchema(endpoint.reply);
  const page = pageText(reply);
  if (page !== null) return ['', `Reply: a ${page}; without \`limit\` the bare list of all.`];
  return ['', `Reply: ${typeOf(reply)}.`, ...replyTable(rowsOf(reply))];
}

/** "page of Node"; null when the schema is not a page. */
function pageText({ properties }: JsonSchema): string | null {
  const row = properties?.['data']?.items;
  return row ? `page of ${typeOf(row)} (\`data\`, \`page\`, \`limit\`, \`total\`)` : null;
}

function entry(name: EndpointName, endpoint: Endpoint): string[] {
  const { method, path, summary, params, query } = endpoint;
  const body = endpoint.kind === 'call' ? endpoint.body : undefined;
  return [
    '',
    `### ${name}`,
    '',
    `\`${method} ${path}\``,
    '',
    `${summary} For ${access[endpoint.access]}.${apiTokenText(endpoint)}`,
    ...(params ? inputTable('path', inputSchema(params)) : []),
    ...(query ? inputTable('query', inputSchema(query)) : []),
    ...(body ? inputTable('body', inputSchema(body)) : []),
    ...replyOf(endpoint),
    '',
    `Errors: ${errorReplies(name, endpoint)
      .map(({ status, kind }) => `\`${kind}\` (${status})`)
      .join(', ')}.`,
  ];
}

/** A named shape; one that is another with a few fields more says so. */
function shape(name: string, schema: JsonSchema, earlier: readonly [string, JsonSchema][]): string[] {
  const rows = rowsOf(schema);
  const fields = new Set(rows.map((row) => JSON.stringify(row)));
  const base = earlier.findLast(([, other]) => rowsOf(other).every((row) => fields.has(JSON.stringify(row))));
  const known = new Set(base ? rowsOf(base[1]).map((row) => row.name) : []);
  const intro = base ? ['', `All of [${base[0]}](#${base[0].toLowerCase()}), and:`] : [];
  return ['', `### ${name}`, ...intro, ...replyTable(rows.filter((row) => !known.has(row.name)))];
}

const groupSection = (group: Group): string[] => [
  '',
  `## ${groupTexts[group].title}`,
  ...endpoints.flatMap(({ name, endpoint }) => (name.startsWith(`${group}.`) ? entry(name, endpoint) : [])),
];

/** The interface as a page of documentation. */
export function apiReference(): string {
  const groups = Object.keys(contract) as Group[];
  const named = Object.entries(namedSchemas);
  const lines = [
    INTRODUCTION,
    ...groups.flatMap(groupSection),
    '',
    '## Shapes',
    ...named.flatMap(([name, schema], index) => shape(name, schema, named.slice(0, index))),
  ];
  return `${lines.join('\n')}\n`;
}
