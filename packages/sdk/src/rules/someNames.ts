const NAMED_AT_MOST = 5;

/** Names in a row, as many as one can take in: `a, b, c, d, e and 3 more`. */
export function someNames(names: readonly string[]): string {
  const more = names.length - NAMED_AT_MOST;
  return `${names.slice(0, NAMED_AT_MOST).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
