import type { Attributes, Filled } from '@sallyport/sdk/contract';

// A number is text while it is typed; what a form cannot show as nothing, a list or a text, is never null in it.
type FormValue<V> =
  NonNullable<V> extends infer Value
    ? Value extends number
      ? number | string | null
      : Value extends readonly unknown[] | string | boolean
        ? Value
        : { [Part in keyof Value]: FormValue<Value[Part]> }
    : never;

/** The values of a form over a table of attributes. */
export type FormValues<A extends Attributes> = { [K in keyof A]: FormValue<Filled<A>[K]> };

/**
 * What a form starts with: the row that is edited, or what a new one starts with. A field that the contract gains is
 * here by itself.
 */
export function formValues<A extends Attributes>(attributes: A, from: Partial<Filled<A>>): FormValues<A> {
  const entries = Object.entries(attributes).map(([name, { blank }]) => [name, from[name] ?? structuredClone(blank)]);
  return Object.fromEntries(entries) as FormValues<A>;
}
