import { check, type Problem } from '@sallyport/sdk/contract';
import { set, type FieldErrors, type FieldValues, type Resolver } from 'react-hook-form';

/** A schema of the contract. */
export type Schema = Parameters<typeof check>[0];
/** What the contract makes of a checked value. */
export type SchemaOutput<S extends Schema> = Extract<ReturnType<typeof check<S>>, { ok: true }>['value'];

/** What a form is checked by. */
export type FormChecks<V extends FieldValues, S extends Schema> = {
  /** The contract's schema of the request's body. */
  schema: S;
  /** Findings that need more than the form's own fields; they speak before the schema. */
  rules?: ((values: V) => readonly (Problem | null)[]) | undefined;
  /**
   * What counts instead of the values of fields that are not on the screen and mean nothing now. What was typed stays
   * in the form, for when they are shown again.
   */
  hidden?: ((values: V) => { [K in keyof V]?: V[K] | undefined }) | undefined;
  /** The form's own field for one that the contract or the gateway names otherwise. */
  placeOf?: ((field: string) => string) | undefined;
};

/** What is wrong with the values of a form, and the body that they make when nothing is. */
export function checkForm<V extends FieldValues, S extends Schema>(
  { schema, rules = () => [], hidden = () => ({}), placeOf = (field) => field }: FormChecks<V, S>,
  given: V,
): { value: SchemaOutput<S> | null; problems: Problem[] } {
  const values = { ...given, ...hidden(given) };
  const checked = check(schema, values);
  const problems = [...rules(values).filter((problem) => problem !== null), ...(checked.ok ? [] : checked.problems)];
  return {
    value: checked.ok && problems.length === 0 ? checked.value : null,
    problems: problems.map(({ field, message }) => ({ field: placeOf(field), message })),
  };
}

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

/** Validates a form by the contract, so that it says the same words as the gateway's 422. */
export function contractResolver<V extends FieldValues, S extends Schema>(
  checks: FormChecks<V, S>,
): Resolver<V, unknown, SchemaOutput<S>> {
  return (values) => {
    const { value, problems } = checkForm(checks, values);
    return value === null ? { values: {}, errors: fieldErrors<V>(problems) } : { values: value, errors: {} };
  };
}
