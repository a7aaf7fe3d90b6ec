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
