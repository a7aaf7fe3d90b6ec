/** A field, and its value on both sides; null: it is as it was there. */
export type DifferencesRow = { label: string; left: string; right: string | null };

type DifferencesProps = {
  rows: readonly DifferencesRow[];
  /** What the sides are called. */
  left: string;
  right: string;
};

/** Two versions of one thing, field by field. On a phone the sides stand below each other. */
export function Differences({ rows, left, right }: DifferencesProps) {
  if (rows.length === 0) return null;
  return (
    <table className="mt-2 w-full text-left text-sm max-sm:block [&_td]:align-top [&_td]:wrap-anywhere [&_th]:font-medium">
      <thead className="text-xs text-muted max-sm:hidden">
        <tr>
          <th scope="col" className="py-1 pr-3">
            Field
          </th>
          <th scope="col" className="w-2/5 py-1 pr-3">
            {left}
          </th>
          <th scope="col" className="w-2/5 py-1">
            {right}
          </th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map((row) => (
          <tr key={row.label} className="border-t border-line max-sm:block max-sm:py-2">
            <th scope="row" className="py-1.5 pr-3 align-top max-sm:block max-sm:py-0">
              {row.label}
            </th>
            <td className="py-1.5 pr-3 max-sm:block max-sm:py-0">
              <span className="text-muted sm:hidden">{left}: </span>
              {row.left}
            </td>
            <td className="py-1.5 max-sm:block max-sm:py-0">
              <span className="text-muted sm:hidden">{right}: </span>
              {row.right ?? <span className="text-muted">not changed</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A field's value as people read it. */
export function spoken(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(spoken).join(', ');
  if (typeof value === 'object') {
    const parts = Object.values(value).map(spoken);
    return parts.every((part) => part === '–') ? '–' : parts.join(' ');
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() || '–' : '–';
}

/** `gatewayNetworks.1.subnet` as people read it: "Gateway networks, 2, subnet". */
export const wordsOf = (field: string): string => {
  const words = field
    .split('.')
    .map((part) =>
      /^\d+$/.test(part) ? String(Number(part) + 1) : part.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    )
    .join(', ');
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
};

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
