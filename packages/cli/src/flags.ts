import { type Problem, OF_FORMS, check } from '@sallyport/sdk/contract';
import { Argument, Option } from 'commander';
import * as z from 'zod/mini';
import { type AnyCommand, type FlagHelp, flagName } from './context.ts';
import { Failure, problemText } from './failure.ts';

type FlagShape = {
  type?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  items?: FlagShape;
  properties?: Record<string, FlagShape>;
  [OF_FORMS]?: boolean;
};
type AnyShape = Omit<FlagShape, 'type'> & { type?: string | readonly string[]; anyOf?: readonly FlagShape[] };
type Schema = { properties?: Record<string, AnyShape>; required?: readonly string[] };
/** What a field takes, and whether it may also be nothing, which is `''` on the command line. */
type Field = { shape: FlagShape; isNullable: boolean };

// The parser takes a null for a value that it could not read.
const NOTHING = Symbol('nothing');

/** The flags and the words of a command, derived from its schema, so that a new field of the contract is a new flag. */
export function parametersOf(command: AnyCommand): { options: Option[]; words: Argument[] } {
  // Asked for once: the contract's help takes time to make.
  const { help, words = [] } = command;
  const { fields, required } = fieldsOf(command);
  const options = Object.entries(fields).flatMap(([name, field]) =>
    words.includes(name) ? [] : optionsOf(name, field, help[name] ?? { text: '' }),
  );
  const wordOf = (name: string) => {
    const { value = name, text } = help[name] ?? { text: '' };
    const argument = new Argument(required.includes(name) ? `<${value}>` : `[${value}]`, text);
    const choices = fields[name]?.shape.enum;
    return choices ? argument.choices(choices) : argument;
  };
  return { options, words: words.map(wordOf) };
}

function optionsOf(name: string, { shape, isNullable }: Field, { value, text, negatable }: FlagHelp): Option[] {
  if (shape.type === 'boolean') {
    const plain = new Option(flagName(name), text);
    return negatable ? [plain, new Option(flagName(name).replace('--', '--no-'), `not: ${text}`)] : [plain];
  }
  const also = name in ALSO ? `${ALSO[name]}, ` : '';
  const option = new Option(
    `${also}${flagName(name)} <${value ?? placeholderOf(name, shape)}>`,
    `${text}${boundsOf(shape)}`,
  ).argParser((typed: string, before: unknown) => valueOf({ shape, isNullable }, typed, before));
  // The schema refuses what is none of these, in the words of the contract.
  if (shape.enum) option.argChoices = [...shape.enum];
  return [option];
}

/** What a list is filtered by is also the flag that fills it. */
const ALSO: Readonly<Record<string, string>> = { tags: '--tag' };

function fieldsOf({ flags }: AnyCommand): { fields: Record<string, Field>; required: readonly string[] } {
  const { properties = {}, required = [] } = z.toJSONSchema(flags, { unrepresentable: 'any', io: 'output' }) as Schema;
  const fields = Object.entries(properties)
    .filter(([, shape]) => !shape[OF_FORMS])
    .map(([field, shape]): [string, Field] => [field, fieldOf(shape)]);
  return { fields: Object.fromEntries(fields), required };
}

function fieldOf({ anyOf, type, ...shape }: AnyShape): Field {
  const inner = anyOf?.find((each) => each.type !== 'null');
  const kinds = typeof type === 'string' ? [type] : (type ?? []);
  const kind = kinds.find((each) => each !== 'null');
  return {
    shape: inner ?? { ...shape, ...(kind === undefined ? {} : { type: kind }) },
    isNullable: kinds.includes('null') || anyOf?.some((each) => each.type === 'null') === true,
  };
}

/** What was typed as the schema takes it. What cannot be that stays text, so that the schema says what is wrong with it. */
function valueOf({ shape, isNullable }: Field, typed: string, before: unknown): unknown {
  if (typed === '' && isNullable) return NOTHING;
  if (isNumber(shape)) return numberOf(typed);
  if (shape.type !== 'array' && shape.type !== 'object') return typed;
  // A list or an object is given by commas, by repeating the flag, or by both.
  const parts = typed.split(',').map((part) => part.trim());
  if (shape.type === 'array')
    return [...(Array.isArray(before) ? before : []), ...parts.map((part) => itemOf(shape, part))];
  if (!parts.every((part) => part.includes('='))) return typed;
  const named = parts.map((part) => partOf(shape, part));
  return { ...(typeof before === 'object' ? before : null), ...Object.fromEntries(named) };
}

/** A part of an object, given as `name=value`. */
function partOf({ properties = {} }: FlagShape, typed: string): [name: string, value: unknown] {
  const [name = '', ...rest] = typed.split('=');
  const value = rest.join('=');
  const part = properties[name] ?? {};
  if (part.type === 'boolean' && ['true', 'false'].includes(value)) return [name, value === 'true'];
  return [name, isNumber(part) ? numberOf(value) : value];
}

const numberOf = (typed: string): number | string => (/^-?\d{1,15}$/.test(typed) ? Number(typed) : typed);

/** An item of a list; one that has fields is given as `first=second`, in the order of the schema. */
function itemOf({ items }: FlagShape, typed: string): unknown {
  if (items !== undefined && isNumber(items)) return numberOf(typed);
  if (items?.type !== 'object') return typed;
  const names = Object.keys(items.properties ?? {});
  const parts = typed.split('=');
  return Object.fromEntries(names.map((name, at) => [name, parts[at] ?? '']));
}

function placeholderOf(field: string, shape: FlagShape): string {
  if (shape.enum) return flagName(field).slice(2);
  if (isNumber(shape)) return 'n';
  if (shape.properties) {
    const parts = Object.entries(shape.properties).map(([name, part]) => `${name}=${placeholderOf(name, part)}`);
    return parts.join(',');
  }
  if (shape.type !== 'array') return 'text';
  const names = Object.keys(shape.items?.properties ?? {});
  if (names.length > 0) return `${names.join('=')},…`;
  return shape.items !== undefined && isNumber(shape.items) ? 'n,…' : 'text,…';
}

const isNumber = (shape: Pick<FlagShape, 'type'>) => shape.type === 'integer' || shape.type === 'number';

function boundsOf({ minimum, maximum }: FlagShape): string {
  return minimum === undefined || maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
    ? ''
    : ` (${minimum} to ${maximum})`;
}

/** Checks what was typed against the command's schema; what is wrong names the flag. */
export function checkFlags(command: AnyCommand, typed: Record<string, unknown>): never {
  const known = Object.fromEntries(
    Object.keys(command.flags.shape).flatMap((key) =>
      key in typed ? [[key, typed[key] === NOTHING ? null : typed[key]]] : [],
    ),
  );
  const checked = check(command.flags, known);
  if (checked.ok) return checked.value as never;
  throw new Failure('usage', checked.problems.map((problem) => sentenceOf(command, problem)).join(' '), 'See --help.');
}

/** Says what is wrong with the flag or the word that it is wrong with. */
function sentenceOf({ words }: AnyCommand, { field, message }: Problem): string {
  const [name = field, part = ''] = field.split('.');
  const isPart = /^[a-z]/i.test(part);
  const shown = words?.includes(name) ? `<${name}>` : `${flagName(name)}${isPart ? ` (${part})` : ''}`;
  return `${problemText(shown, message)}.`;
}
