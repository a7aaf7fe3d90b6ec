import { check, type Problem } from '@sallyport/sdk/contract';
import { set, type FieldErrors, type FieldValues, type Resolver } from 'react-hook-form';

/** A schema of the contract. */
export type Schema = Parameters<typeof check>[0];
/** What the contract makes of a checked value. */
export type SchemaOutput<S extends Schema> = Extract<ReturnType<typeof check<S>>, { ok: true }>['value'];

/** The problems in the shape that react-hook-form keeps; the first problem of a field is the one that is shown. */
export function fieldErrors<V extends FieldValues>(problems: readonly Problem[]): FieldErrors<V> {
  const errors: FieldErrors<V> = {};
  const seen = new Set<string>();
  for (const { field, message } of problems) {
    if (seen.has(field)) continue;
    seen.add(field);
    set(errors, field, { type: 'contract', message });
  }
  return errors;
}

/**
 * Validates a form by the contract, so that it says the same words as the gateway's 422. `rules` finds what the schema
 * alone cannot know, such as what the form's node demands; they speak before the schema.
 */
export function contractResolver<V extends FieldValues, S extends Schema>(
  schema: S,
  rules: (values: V) => readonly (Problem | null)[] = () => [],
): Resolver<V, unknown, SchemaOutput<S>> {
  return (values) => {
    const checked = check(schema, values);
    const problems = [...rules(values).filter((problem) => problem !== null), ...(checked.ok ? [] : checked.problems)];
    return checked.ok && problems.length === 0
      ? { values: checked.value, errors: {} }
      : { values: {}, errors: fieldErrors<V>(problems) };
  };
}
