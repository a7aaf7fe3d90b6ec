import { contract, type EndpointName, type Group, groupTexts, namedInputs, namedReplies, pagerOf } from './contract.ts';
import type { Endpoint } from './endpoint.ts';
import { errorReplies } from './errorReply.ts';
import { descriptionOf, type JsonSchema, REF_PREFIX, inputSchema, namedSchemas, replySchema } from './jsonSchema.ts';

const inputNames = new Map(
  Object.entries(namedInputs).map(([name, { schema }]) => [JSON.stringify(inputSchema(schema)), name]),
);

const callers: Record<Endpoint['access'], string> = {
  open: 'Needs no token.',
  admin: "Needs an administrator's token.",
  node: "Needs a node's access token.",
  any: "Needs an administrator's token, or a node's access token.",
};

/** What an API token needs for the call. */
function apiTokenText({ rights }: Endpoint): string {
  if (rights === undefined) return '';
  return ` An API token needs ${rights.length === 0 ? 'no right' : rights.map((right) => `\`${right}\``).join(' and ')}.`;
}

const doc = (...lines: string[]): string[] =>
  lines.length === 1 ? [`/** ${lines[0]} */`] : ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */'];

const isOptional = ({ required = [] }: JsonSchema, name: string): boolean => !required.includes(name);

/** The fields of an object, each under its documentation. @throws {TypeError} when one has none */
function fieldsOf(schema: JsonSchema, where: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const description = descriptionOf(field);
    if (description === '') throw new TypeError(`${where}.${name} has no description.`);
    const mark = isOptional(schema, name) ? '?' : '';
    const type = typeOf(field, `${where}.${name}`);
    return doc(description).concat(`${name}${mark}: ${type}${mark && ' | undefined'};`);
  });
}

/** A type expression. @param where names the place in a complaint */
function typeOf(schema: JsonSchema, where: string): string {
  const name = schema.$ref?.slice(REF_PREFIX.length) ?? inputNames.get(JSON.stringify(schema));
  if (name !== undefined) return name;
  const row = schema.properties?.['total'] && schema.properties['data']?.items;
  if (row) return `Page<${typeOf(row, where)}>`;
  if (schema.properties && schema.anyOf) return oneOfFields(schema, schema.anyOf, where);
  if (schema.anyOf) return schema.anyOf.map((part) => typeOf(part, where)).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ type }, where)).join(' | ');
  if (schema.type === 'array') return `(${typeOf(schema.items ?? {}, where)})[]`;
  if (schema.type === 'integer') return 'number';
  if (schema.type !== 'object') return schema.type ?? 'unknown';
  const fields = fieldsOf(schema, where);
  return fields.length === 0 ? 'Record<string, unknown>' : `{ ${fields.join('\n')} }`;
}

/** An object that needs one set of fields or another: a type for each. */
function oneOfFields(schema: JsonSchema, alternatives: readonly JsonSchema[], where: string): string {
  const { anyOf: _, ...plain } = schema;
  const types: string[] = [];
  for (const { required = [] } of alternatives) {
    const needing: JsonSchema = { ...plain, required: [...(schema.required ?? []), ...required] };
    types.push(`{ ${fieldsOf(needing, where).join('\n')} }`);
  }
  return types.join(' | ');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const PARTS = { params: 'What stands in the path.', query: 'What is asked for.', body: 'What is sent.' } as const;

/** The input of an endpoint; null: it takes none. */
function inputOf(name: EndpointName, endpoint: Endpoint): { lines: string[]; isOptional: boolean } | null {
  const { params, query } = endpoint;
  const body = endpoint.kind === 'call' ? endpoint.body : undefined;
  const parts = Object.entries({ params, query, body }).flatMap(([part, schema]) => {
    if (schema === undefined) return [];
    const json = inputSchema(schema);
    const mark = (json.required ?? []).length === 0 && !json.anyOf ? '?' : '';
    const type = typeOf(json, `${name}.${part}`);
    const text = PARTS[part as keyof typeof PARTS];
    return [{ mark, lines: [...doc(text), `${part}${mark}: ${type};`] }];
  });
  if (parts.length === 0) return null;
  return { lines: parts.flatMap(({ lines }) => lines), isOptional: parts.every(({ mark }) => mark !== '') };
}

function methodsOf(group: Group): { group: Group; types: string[]; methods: string[] } {
  const types: string[] = [];
  const methods: string[] = [];
  for (const [verb, endpoint] of Object.entries(contract[group] as Record<string, Endpoint>)) {
    const name = `${group}.${verb}` as EndpointName;
    const input = inputOf(name, endpoint);
    const inputName = `${capital(group)}${capital(verb)}Request`;
    if (input)
      types.push('', ...doc(`What \`${name}\` is given.`), `export interface ${inputName} {`, ...input.lines, '}');
    const given = input ? `input${input.isOptional ? '?' : ''}: ${inputName}` : 'input?: {}';
    const isStream = endpoint.kind === 'stream';
    const about = [
      `\`${endpoint.method} ${endpoint.path}\`. ${callers[endpoint.access]}${apiTokenText(endpoint)}`,
      '',
      `@param input ${input ? partsText(endpoint) : 'nothing; there for the sake of the options'}`,
      `@param options ${isStream ? 'how the stream is read' : 'a signal, a time limit and the like'}`,
      `@throws {ApiError} of the kinds ${kindsOf(name, endpoint)}`,
    ];
    const reply = isStream
      ? `EventStream<${typeOf(replySchema(endpoint.event), name)}>`
      : endpoint.kind === 'file'
        ? 'Promise<Download>'
        : `Call<${typeOf(replySchema(endpoint.reply), name)}>`;
    const options = isStream ? 'WatchOptions' : 'CallOptions';
    methods.push(...doc(endpoint.summary, '', ...about), `${verb}(${given}, options?: ${options}): ${reply};`);
    const pager = pagerOf(group, verb, endpoint);
    const row = endpoint.kind === 'call' ? replySchema(endpoint.reply).properties?.['data']?.items : undefined;
    if (pager === null || row === undefined) continue;
    methods.push(
      ...doc(
        'Every row of all pages, for a `for await` loop; a page is read when it is needed. `query.limit` is its size, 100',
        'unless given. What is added or removed meanwhile may be missed or come twice.',
        '',
        ...about,
      ),
      `${pager}(${given}, options?: CallOptions): AsyncGenerator<${typeOf(row, name)}, void, undefined>;`,
    );
  }
  return { group, types, methods };
}

const partsText = (endpoint: Endpoint): string =>
  Object.keys(PARTS)
    .filter((part) => part in endpoint && endpoint[part as keyof Endpoint] !== undefined)
    .map((part) => `\`${part}\``)
    .join(', ');

const kindsOf = (name: EndpointName, endpoint: Endpoint): string =>
  [...new Set(errorReplies(name, endpoint).map(({ kind }) => kind)), 'unreachable', 'untrusted', 'mismatch']
    .map((kind) => `\`${kind}\``)
    .join(', ');

/** A named reply; one that is another with a few fields more extends it. */
function replyType(name: string, text: string, index: number): string[] {
  const { properties = {}, ...schema } = namedSchemas[name] ?? {};
  const base = Object.keys(namedReplies)
    .slice(0, index)
    .findLast((earlier) =>
      Object.entries(namedSchemas[earlier]?.properties ?? {}).every(
        ([field, json]) => JSON.stringify(properties[field]) === JSON.stringify(json),
      ),
    );
  const known = base === undefined ? {} : (namedSchemas[base]?.properties ?? {});
  const own = Object.fromEntries(Object.entries(properties).filter(([field]) => !(field in known)));
  const head = `export interface ${name}${base === undefined ? '' : ` extends ${base}`} {`;
  return ['', ...doc(text), head, ...fieldsOf({ ...schema, properties: own }, name), '}'];
}

function inputType(name: string, { schema, text }: (typeof namedInputs)[keyof typeof namedInputs]): string[] {
  const json = inputSchema(schema);
  return json.anyOf
    ? ['', ...doc(text), `export type ${name} = ${oneOfFields(json, json.anyOf, name)};`]
    : ['', ...doc(text), `export interface ${name} {`, ...fieldsOf(json, name), '}'];
}

const groupType = (group: Group, methods: readonly string[]): string[] => [
  '',
  ...doc(groupTexts[group].about),
  `export interface ${capital(group)}Calls {`,
  ...methods,
  '}',
];

/** The client's interface, and every type that it names, as a module of TypeScript. It is to be formatted. */
export function clientTypes(): string {
  const names = Object.keys(contract) as Group[];
  const parts = names.map(methodsOf);
  const lines = [
    '// Written by `pnpm generate` from the contract in packages/sdk/src/contract; do not edit.',
    "import type { Page } from '../contract/paging.ts';",
    "import type { Download } from './download.ts';",
    "import type { EventStream, WatchOptions } from './stream.ts';",
    "import type { Call, CallOptions } from './transport.ts';",
    ...Object.entries(namedReplies).flatMap(([name, { text }], index) => replyType(name, text, index)),
    ...Object.entries(namedInputs).flatMap(([name, input]) => inputType(name, input)),
    ...parts.flatMap(({ types }) => types),
    ...parts.flatMap(({ group, methods }) => groupType(group, methods)),
    '',
    ...doc('A method for each endpoint of a gateway: `client.node.list(…)`, `client.httpService.create(…)`.'),
    'export interface Calls {',
    ...names.flatMap((group) => doc(groupTexts[group].about).concat(`readonly ${group}: ${capital(group)}Calls;`)),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}
