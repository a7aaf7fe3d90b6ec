import type { Problem } from '@sallyport/sdk/contract';
import { check } from '@sallyport/sdk/contract';
import { Option } from 'commander';
import * as z from 'zod/mini';
import type { AnyCommand } from './context.ts';
import { Failure } from './failure.ts';

type FlagShape = { type?: string; enum?: readonly string[]; minimum?: number; maximum?: number };

/** `orderBy` is `--order-by` on the command line. */
export const flagName = (field: string) => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The options of a command, derived from its schema, so that a new field of the contract is a new flag. */
export function optionsOf(command: AnyCommand): Option[] {
  const { properties = {} } = z.toJSONSchema(command.flags, { unrepresentable: 'any', io: 'output' });
  return Object.entries(properties as Record<string, FlagShape>).map(([field, shape]) => {
    const { value, text } = command.help[field] ?? { text: '' };
    const option = new Option(
      shape.type === 'boolean'
        ? flagName(field)
        : `${flagName(field)} <${value ?? (shape.enum ? field : isNumber(shape) ? 'n' : 'text')}>`,
      `${text}${boundsOf(shape)}`,
    );
    return shape.enum ? option.choices(shape.enum) : option;
  });
}

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
  throw new Failure('usage', checked.problems.map(asFlag).join(' '), 'See --help.');
}

const asFlag = ({ field, message }: Problem) => `${message.replace(/^(This field|"[^"]*")/, () => flagName(field))}.`;
