/** A field's value as people read it. */
export function spoken(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(spoken).join(', ');
  if (typeof value === 'object') return Object.values(value).map(spoken).join(' ');
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
