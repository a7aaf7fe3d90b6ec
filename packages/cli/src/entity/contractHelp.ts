import * as z from 'zod/mini';
import type { Command } from '../context.ts';

type Help = { text: string; value?: string; negatable?: boolean };
type Shape = { description?: string; type?: string | string[]; anyOf?: Shape[] };

/**
 * What the flags of a write are for, out of the contract: a field's description where it has one, else its name in
 * words, with the value that a new row starts with. What `own` says comes first.
 *
 * @param flags the schema of the command's flags
 * @param entity the reply that the fields show up in, which carries the descriptions
 */
export function contractHelp<S extends z.ZodMiniObject>(
  flags: S,
  entity: z.ZodMiniObject,
  own: { readonly [field: string]: Help },
  initials: { readonly [field: string]: unknown } = {},
): Command<S>['help'] {
  const shapes = shapesOf(flags);
  const facts = shapesOf(entity);
  const help = Object.entries(shapes).map(([field, shape]): [string, Help] => {
    const text = facts[field]?.description ?? descriptionOf(shape) ?? inWords(field);
    return [
      field,
      own[field] ?? {
        text: `${asClause(text)}${initially(initials[field])}`,
        negatable: kindsOf(shape).includes('boolean'),
      },
    ];
  });
  return Object.fromEntries(help) as Command<S>['help'];
}

const shapesOf = (schema: z.ZodMiniObject) =>
  (z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' }).properties ?? {}) as Record<string, Shape>;

const descriptionOf = ({ description, anyOf }: Shape): string | undefined =>
  description ?? anyOf?.map(descriptionOf).find((text) => text !== undefined);

const kindsOf = ({ type, anyOf }: Shape): string[] => [type ?? [], ...(anyOf ?? []).map(kindsOf)].flat();

/** `backendPort` as `backend port`. */
const inWords = (field: string) => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A sentence of the contract as the clause that help is made of. */
const asClause = (sentence: string) => {
  const text = sentence.replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(text) ? `${text[0]?.toLowerCase()}${text.slice(1)}` : text;
};

const initially = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? ` (${value} unless given)` : '';
