import * as z from 'zod/mini';
import { type Command, type Context, flagName } from '../context.ts';
import { Failure } from '../failure.ts';

type Help = { text: string; value?: string; negatable?: boolean };
type Shape = { description?: string; type?: string | string[]; anyOf?: Shape[] };

/**
 * What the flags of a write are for, out of the contract: a field's description, with the value that a new row starts with. What `own`
 * says comes first.
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
  const { shapes, required } = shapesOf(flags);
  const facts = shapesOf(entity).shapes;
  const help = Object.entries(shapes).map(([field, shape]): [string, Help] => {
    const text = facts[field]?.description ?? descriptionOf(shape) ?? '';
    // What a form begins with is no value that may be left out.
    const initial = required.includes(field) ? undefined : initials[field];
    return [
      field,
      own[field] ?? {
        text: `${withFlags(asClause(text), Object.keys(shapes))}${required.includes(field) ? '; needed' : initially(initial)}`,
        // No one has to say of something new that it is not what it would not be.
        negatable: kindsOf(shape).includes('boolean') && initial !== false,
      },
    ];
  });
  return Object.fromEntries(help) as Command<S>['help'];
}

function shapesOf(schema: z.ZodMiniObject): { shapes: Record<string, Shape>; required: readonly string[] } {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' });
  return { shapes: properties as Record<string, Shape>, required };
}

const descriptionOf = ({ description, anyOf }: Shape): string | undefined =>
  description ?? anyOf?.map(descriptionOf).find((text) => text !== undefined);

const kindsOf = ({ type, anyOf }: Shape): string[] => [type ?? [], ...(anyOf ?? []).map(kindsOf)].flat();

/** The fields that a description names, as the flags that they are here; other names in it are names. */
const withFlags = (text: string, fields: readonly string[]) =>
  text.replace(/`([^`]+)`/g, (_, name: string) => (fields.includes(name) ? flagName(name) : name));

/** A sentence of the contract as the clause that help is made of. */
const asClause = (sentence: string) => {
  const text = sentence.replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(text) ? `${text[0]?.toLowerCase()}${text.slice(1)}` : text;
};

const initially = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? ` (${value} unless given)` : '';

/** What is to be changed; a command line that changes nothing is wrong usage. */
export function changesOf<T extends object>(given: T): T {
  const isAny = Object.values(given).some((value) => value !== undefined);
  if (isAny) return given;
  throw new Failure('usage', 'Nothing to change was given.', 'See --help.');
}

/** The flag of every command that destroys something. */
export const yesFlag = {
  flags: { yes: z.optional(z.boolean()) },
  help: { yes: { text: 'do not ask; needed without a terminal' } },
};

/** Asks for a yes before `what` happens, a clause like `delete node "edge"`; `--yes` must have said it without a terminal. */
export async function confirm({ io }: Context, yes: boolean | undefined, what: string): Promise<void> {
  if (yes) return;
  if (!io.canAsk) {
    throw new Failure('usage', `There is no terminal to ask whether to ${what}.`, 'Say --yes if that is meant.');
  }
  if (await io.confirm(`${what[0]?.toUpperCase() ?? ''}${what.slice(1)}?`)) return;
  throw new Failure('failed', 'Nothing was changed.', null);
}
