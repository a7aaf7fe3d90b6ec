/** A field in which two edits of the same thing differ. */
export type Difference = {
  field: string;
  /** As it is stored now. */
  now: unknown;
  /** As it stands in the form; undefined: left as it was. */
  mine: unknown;
};

type Values = Readonly<Record<string, unknown>>;

/** An edit that came second: what the form began with, what is stored now, and what was typed. */
export type Versions<V> = { base: V; theirs: V; mine: V };

// Forms hold texts, numbers, booleans and lists of them; what is not there and what is undefined is the same.
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The fields that either of the two has changed, and in which they do not agree. */
export function differencesOf<V extends Values>({ base, theirs, mine }: Versions<V>): Difference[] {
  return fieldsOf(base, theirs, mine)
    .filter((field) => !same(theirs[field], mine[field]))
    .map((field) => ({
      field,
      now: theirs[field],
      mine: same(base[field], mine[field]) ? undefined : mine[field],
    }));
}

/**
 * What the form shows once it is chosen whose values count. With `mine` everything that was typed stays, and the rest is
 * as it is stored now, so that nothing comes back which the other edit took away.
 */
export function chosenValues<V extends Values>(
  { base, theirs, mine }: Versions<V>,
  whose: 'mine' | 'theirs',
): Partial<V> {
  return Object.fromEntries(
    fieldsOf(base, theirs, mine).map((field) => {
      const typed = !same(base[field], mine[field]);
      return [field, whose === 'mine' && typed ? mine[field] : theirs[field]];
    }),
  ) as Partial<V>;
}

/** The fields that are not the same in all three. */
const fieldsOf = (base: Values, theirs: Values, mine: Values): string[] =>
  [...new Set([base, theirs, mine].flatMap(Object.keys))].filter(
    (field) => !same(base[field], theirs[field]) || !same(base[field], mine[field]),
  );
