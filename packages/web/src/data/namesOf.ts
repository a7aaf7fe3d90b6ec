/** The first few names of a list, and how many more there are; `''` while it is not read, or when it is empty. */
export function namesOf(
  page: { data: readonly { name: string; builtin?: boolean }[]; total: number } | undefined,
): string {
  if (page === undefined) return '';
  const names = page.data.flatMap(({ name, builtin }) => (builtin === true ? [] : [name]));
  const kept = page.data.length - names.length;
  const more = page.total - kept - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
