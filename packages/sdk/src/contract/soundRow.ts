import * as z from 'zod/mini';

/** What a value of a field must be, and what stands in its place when it is not. */
type Kind = { isSound(value: unknown): boolean; harmless: unknown };

/** The values of a row that were not what the entity says, and the row without them. */
export type Sound<Row> = { row: Row; damaged: string[] };

const isText = (value: unknown): boolean => typeof value === 'string';

function kindOf(schema: unknown): Kind {
  if (schema instanceof z.ZodMiniDefault || schema instanceof z.ZodMiniOptional) return kindOf(schema.def.innerType);
  if (schema instanceof z.ZodMiniNullable) {
    const { isSound } = kindOf(schema.def.innerType);
    return { isSound: (value) => value === null || isSound(value), harmless: null };
  }
  if (schema instanceof z.ZodMiniEnum) {
    const options: readonly unknown[] = schema.options;
    return { isSound: (value) => options.includes(value), harmless: options[0] };
  }
  if (schema instanceof z.ZodMiniString) return { isSound: isText, harmless: '' };
  if (schema instanceof z.ZodMiniNumber) return { isSound: Number.isSafeInteger, harmless: 0 };
  if (schema instanceof z.ZodMiniBoolean) return { isSound: (value) => typeof value === 'boolean', harmless: false };
  if (schema instanceof z.ZodMiniArray) {
    const { element } = schema.def;
    const isOne = element instanceof z.ZodMiniString ? isText : (one: unknown) => z.safeParse(element, one).success;
    return { isSound: (value) => Array.isArray(value) && value.every(isOne), harmless: [] };
  }
  if (schema instanceof z.ZodMiniObject) {
    const parts = Object.entries(schema.shape).map(([name, part]) => [name, kindOf(part).harmless]);
    return { isSound: (value) => z.safeParse(schema, value).success, harmless: Object.fromEntries(parts) };
  }
  throw new TypeError('A field of an entity is a text, a whole number, a yes or no, a choice, an object or a list.');
}

/**
 * Reads rows of an entity that may have been damaged: a value of the wrong kind must not keep the others from being
 * answered. The values are looked at, not checked: whether a text is a domain name is not asked here.
 */
export function soundRows(entity: z.ZodMiniObject): <Row extends object>(row: Row) => Sound<Row> {
  const kinds = new Map(Object.entries(entity.shape).map(([name, schema]) => [name, kindOf(schema)]));
  return <Row extends object>(row: Row) => {
    const damaged = Object.entries(row).flatMap(([name, value]) =>
      kinds.get(name)?.isSound(value) === false ? [name] : [],
    );
    if (damaged.length === 0) return { row, damaged };
    const harmless = Object.fromEntries(damaged.map((name) => [name, kinds.get(name)?.harmless]));
    return { row: { ...row, ...harmless }, damaged };
  };
}
