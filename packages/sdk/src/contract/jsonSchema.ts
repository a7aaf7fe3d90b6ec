import * as z from 'zod/mini';
import { namedReplies } from './contract.ts';
import { errorBody } from './problem.ts';

/** The part of JSON Schema (draft 2020-12) that the contract's schemas become. */
export type JsonSchema = {
  type?: string | string[];
  description?: string;
  enum?: (string | number | boolean | null)[];
  const?: string | number | boolean | null;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  default?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  $ref?: string;
  [other: string]: unknown;
};

/** Where a named schema stands in the OpenAPI document. */
export const REF_PREFIX = '#/components/schemas/';

function plain(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // The bounds of every whole number say nothing.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // Replies only grow: a reader must expect fields that it does not know.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return json as JsonSchema;
}

/** Puts a reference in the place of every part that is one of the named schemas. */
function withReferences(json: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(json)) return json.map((part) => withReferences(part, names));
  if (typeof json !== 'object' || json === null) return json;
  const name = names.get(JSON.stringify(json));
  if (name !== undefined) return { $ref: REF_PREFIX + name };
  return Object.fromEntries(Object.entries(json).map(([key, part]) => [key, withReferences(part, names)]));
}

const plainReplies = Object.entries({ ...namedReplies, Error: { schema: errorBody } }).map(([name, { schema }]) => ({
  name,
  json: plain(schema, 'output'),
}));
const namesOfReplies = new Map(plainReplies.map(({ name, json }) => [JSON.stringify(json), name]));

/** The named schemas, each referring to the others. */
export const namedSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  plainReplies.map(({ name, json }) => {
    const others = new Map([...namesOfReplies].filter(([, other]) => other !== name));
    return [name, withReferences(json, others) as JsonSchema];
  }),
);

/** A reply or an event, as a handler makes it: every field present. */
export const replySchema = (schema: z.ZodMiniType): JsonSchema =>
  withReferences(plain(schema, 'output'), namesOfReplies) as JsonSchema;

/** What a caller sends. */
export const inputSchema = (schema: z.ZodMiniType): JsonSchema => plain(schema, 'input');

/** The description of a field, which for an optional one or a list stands further in. */
export const descriptionOf = ({ description, anyOf = [], items }: JsonSchema): string =>
  description ?? [...anyOf, ...(items ? [items] : [])].map(descriptionOf).find((text) => text !== '') ?? '';
