import type { Problem } from '@sallyport/sdk/contract';
import { check } from '@sallyport/sdk/contract';
import { Argument, Option } from 'commander';
import * as z from 'zod/mini';
import type { AnyCommand } from './context.ts';
import { Failure } from './failure.ts';

type FlagShape = { type?: string; enum?: readonly string[]; minimum?: number; maximum?: number };
type Schema = {
  properties?: Record<string, FlagShape & { anyOf?: readonly FlagShape[] }>;
  required?: readonly string[];
};

/** `orderBy` is `--order-by` on the command line. */
export const flagName = (field: string) => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The options of a command, derived from its schema, so that a new field of the contract is a new flag. */
export function optionsOf(command: AnyCommand): Option[] {
  const { properties } = shapesOf(command);
  return Object.entries(properties).flatMap(([field, shape]) => {
    if (command.words?.includes(field)) return [];
    const { value, text } = command.help[field] ?? { text: '' };
    const option = new Option(
      shape.type === 'boolean'
        ? flagName(field)
        : `${flagName(field)} <${value ?? (shape.enum ? field : isNumber(shape) ? 'n' : 'text')}>`,
      `${text}${boundsOf(shape)}`,
    );
    if (shape.type === 'array') option.argParser(listed);
    if (isNumber(shape)) option.argParser(counted);
    return shape.enum ? option.choices(shape.enum) : option;
  });
}

/** The words of a command, in their order, derived from the same schema. */
export function argumentsOf(command: AnyCommand): Argument[] {
  const { properties, required } = shapesOf(command);
  return (command.words ?? []).map((field) => {
    const { value, text } = command.help[field] ?? { text: '' };
    const name = value ?? field;
    const argument = new Argument(required.includes(field) ? `<${name}>` : `[${name}]`, text);
    const choices = properties[field]?.enum;
    return choices ? argument.choices(choices) : argument;
  });
}

/** What each field takes, and which must be given. That a field may also be null means nothing on the command line. */
function shapesOf({ flags }: AnyCommand): { properties: Record<string, FlagShape>; required: readonly string[] } {
  const { properties = {}, required = [] } = z.toJSONSchema(flags, { unrepresentable: 'any', io: 'output' }) as Schema;
  const plain = Object.entries(properties).map(([field, shape]): [string, FlagShape] => [
    field,
    shape.anyOf?.find(({ type }) => type !== 'null') ?? shape,
  ]);
  return { properties: Object.fromEntries(plain), required };
}

/** What is no number stays as it was typed, so that the schema says what is wrong with it. */
const counted = (text: string): number | string => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);

/** A list is given by commas, by repeating the flag, or by both. */
const listed = (text: string, before: unknown): string[] => [
  ...(Array.isArray(before) ? before : []),
  ...text.split(',').map((part) => part.trim()),
];

const isNumber = (shape: FlagShape) => shape.type === 'integer' || shape.type === 'number';

function boundsOf({ minimum, maximum }: FlagShape): string {
  return minimum === undefined || maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
    ? ''
    : ` (${minimum} to ${maximum})`;
}

/** Checks what was typed against the command's schema; what is wrong names the flag. */
export function checkFlags(command: AnyCommand, typed: Record<string, unknown>): never {
  const known = Object.fromEntries(
    Object.keys(command.flags.shape).flatMap((key) => (key in typed ? [[key, typed[key]]] : [])),
  );
  const checked = check(command.flags, known);
  if (checked.ok) return checked.value as never;
  throw new Failure('usage', checked.problems.map((problem) => sentenceOf(command, problem)).join(' '), 'See --help.');
}

/** Says what is wrong with the flag or the word that it is wrong with. */
function sentenceOf({ words }: AnyCommand, { field, message }: Problem): string {
  const [name = field] = field.split('.');
  const shown = words?.includes(name) ? `<${name}>` : flagName(name);
  return `${message.replace(/^(This field|"[^"]*")/, () => shown)}.`;
}
