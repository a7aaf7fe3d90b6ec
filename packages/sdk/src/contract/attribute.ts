import * as z from 'zod/mini';
import { described, optionalFact } from './entity.ts';
import { field } from './field.ts';

/**
 * One field of an entity that an administrator fills in, said once: what may be given, what a new row starts with, and
 * what is answered. The entity, the body of its create and update calls, its defaults and its form derive from a table
 * of these; `docs/architecture.md` walks a new one through the program.
 */
export type Attribute<
  Given extends z.ZodMiniType = z.ZodMiniType,
  Fact extends z.ZodMiniType = z.ZodMiniType,
  Initial = unknown,
> = {
  /** The schema of the field in a body. */
  readonly given: Given;
  /** The schema of the field in a reply: of the same kind, but tolerant of what other gateways hold to be right. */
  readonly fact: Fact;
  /** What a row starts with that is made without it; undefined: it must be given. */
  readonly initial: Initial;
  /** What a form shows when there is no value; of an object, what its parts show. */
  readonly blank: Blank;
};
type Blank = '' | false | null | readonly [] | { readonly [part: string]: Blank };

/** A table of them, by the names of the fields. */
export type Attributes = Readonly<Record<string, Attribute>>;
type Values<S extends z.ZodMiniType> = z.ZodMiniType<z.output<S>, z.output<S>>;
type Nullable<S extends z.ZodMiniType> = z.ZodMiniOptional<z.ZodMiniNullable<S>>;
type NullableValues<S extends z.ZodMiniType> = z.ZodMiniDefault<z.ZodMiniNullable<Values<S>>>;

/** A number, also one that may come as text. */
const isNumber = (schema: z.ZodMiniType): boolean =>
  (schema instanceof z.ZodMiniPipe ? schema.def.out : schema) instanceof z.ZodMiniNumber;

type Shape = Record<string, z.ZodMiniType>;
const partsOf = <T>(schema: z.ZodMiniObject, part: (schema: z.ZodMiniType) => T) =>
  Object.fromEntries(Object.entries(schema.shape as Shape).map(([name, each]) => [name, part(each)]));

/** A schema of the same kind without its rules. */
function anyOfItsKind(schema: z.ZodMiniType): z.ZodMiniType {
  if (schema instanceof z.ZodMiniEnum) return schema;
  if (schema instanceof z.ZodMiniString) return z.string();
  if (isNumber(schema)) return z.int();
  if (schema instanceof z.ZodMiniBoolean) return z.boolean();
  if (schema instanceof z.ZodMiniArray) return z.array(anyOfItsKind(schema.def.element as z.ZodMiniType));
  if (schema instanceof z.ZodMiniOptional) return z.optional(anyOfItsKind(schema.def.innerType as z.ZodMiniType));
  if (schema instanceof z.ZodMiniObject) {
    return z.object(partsOf(schema, (part) => described(anyOfItsKind(part), z.globalRegistry.get(part)?.description)));
  }
  throw new TypeError('An attribute is a text, a number, a yes or no, a choice, an object or a list of these.');
}

function blankOf(schema: z.ZodMiniType): Blank {
  if (schema instanceof z.ZodMiniArray) return [];
  if (schema instanceof z.ZodMiniObject) return partsOf(schema, blankOf);
  if (schema instanceof z.ZodMiniOptional) return blankOf(schema.def.innerType as z.ZodMiniType);
  if (schema instanceof z.ZodMiniBoolean) return false;
  return isNumber(schema) ? null : '';
}

/** A field that must be given. */
function required<S extends z.ZodMiniType>(schema: S, description?: string): Attribute<S, Values<S>, undefined> {
  return {
    given: described(schema, description),
    fact: described(anyOfItsKind(schema) as Values<S>, description),
    initial: undefined,
    blank: blankOf(schema),
  };
}

/** A missing value is null; so is `""`, which forms send for an empty input, and an object of which every part is nothing. */
function nullable<S extends z.ZodMiniType>(schema: S): Nullable<S> {
  const mayBeBlank = schema instanceof z.ZodMiniString || schema instanceof z.ZodMiniObject;
  return mayBeBlank ? field.blankAsNull(schema) : z.optional(z.nullable(schema));
}

/** A field that may be missing: null then. */
function optional<S extends z.ZodMiniType>(
  schema: S,
  description?: string,
): Attribute<Nullable<S>, NullableValues<S>, null> {
  const fact = optionalFact(anyOfItsKind(schema) as Values<S>);
  return {
    given: described(nullable(schema), description),
    fact: described(fact, description),
    initial: null,
    blank: blankOf(schema),
  };
}

/** A field that is `initial` when it is missing. */
function initially<S extends z.ZodMiniType, const Initial extends z.output<S>>(
  initial: Initial,
  schema: S,
  description?: string,
): Attribute<Nullable<S>, z.ZodMiniDefault<Values<S>>, Initial> {
  const fact = z._default(anyOfItsKind(schema) as Values<S>, initial as never);
  return {
    given: described(nullable(schema), description),
    fact: described(fact, description),
    initial,
    blank: blankOf(schema),
  };
}

/** A field that is `initial` when it is missing, and never null. */
function defaulted<S extends z.ZodMiniType, const Initial extends z.output<S>>(
  initial: Initial,
  schema: S,
  description?: string,
): Attribute<z.ZodMiniOptional<S>, z.ZodMiniDefault<Values<S>>, Initial> {
  return {
    ...initially(initial, schema, description),
    given: described(z.optional(schema), description),
  };
}

/** A field that the gateway chooses when it is missing: it may be given as null, and is never answered so. */
function assigned<S extends z.ZodMiniType>(schema: S, description?: string): Attribute<Nullable<S>, Values<S>, null> {
  return { ...required(schema, description), given: described(nullable(schema), description), initial: null };
}

/** The ways in which a field can be there. */
export const attribute = { required, optional, initially, defaulted, assigned } as const;

type GivenOf<A extends Attributes> = { [K in keyof A]: A[K]['given'] };
type Facts<A extends Attributes> = { [K in keyof A]: A[K]['fact'] };
type Initials<A extends Attributes> = {
  [K in keyof A as undefined extends A[K]['initial'] ? never : K]: A[K]['initial'];
};

const map = (attributes: Attributes, part: (attribute: Attribute) => unknown) =>
  Object.fromEntries(Object.entries(attributes).map(([name, each]) => [name, part(each)]));

/** The fields of a body. */
export const givenOf = <A extends Attributes>(attributes: A) => map(attributes, ({ given }) => given) as GivenOf<A>;

/** The fields of a reply. */
export const factsOf = <A extends Attributes>(attributes: A) => map(attributes, ({ fact }) => fact) as Facts<A>;

/** What a new row starts with. */
export const initialsOf = <A extends Attributes>(attributes: A) =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, { initial }]) => (initial === undefined ? [] : [[name, initial]])),
  ) as Initials<A>;

/** The values of a row, as far as an administrator says them. */
export type Filled<A extends Attributes> = { [K in keyof A]: z.output<A[K]['fact']> };

/** Of a row, only what an administrator says. */
export const pickAttributes = <A extends Attributes>(attributes: A, row: Partial<Filled<A>>) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name in attributes)) as Partial<Filled<A>>;

/** The values of a row: what is said, and for what is not said what a row starts with. */
export const withDefaults = <A extends Attributes>(attributes: A, said: { [K in keyof A]?: unknown }) =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, { initial }]) => [name, said[name] ?? initial]),
  ) as Filled<A>;

/** The mark in a field's JSON schema. */
export const OF_FORMS = 'x-of-forms';

/** Marks a field in which a form remembers something about itself: anyone who has no form leaves it out. */
export const ofForms = <S extends z.ZodMiniType>(schema: S): S => schema.check(z.meta({ [OF_FORMS]: true }));
