import { network, UnquotableError } from './nginxText.ts';

/** The lists of a service of either kind. */
export type AccessLists = { allowedIps: readonly string[] | null; blockedIps: readonly string[] | null };

/**
 * Who may come in. The first rule that fits decides, so blocks come first. An empty list is none.
 * @throws {UnquotableError} when a list is damaged
 */
export function accessRules({ allowedIps, blockedIps }: AccessLists): string[] {
  const allowed = list(allowedIps).map((entry) => `allow ${network(entry)}`);
  const blocked = list(blockedIps).map((entry) => `deny ${network(entry)}`);
  return allowed.length === 0 ? blocked : [...blocked, ...allowed, 'deny all'];
}

/** A list that is not one must not count as "everybody". */
function list(entries: readonly string[] | null): readonly string[] {
  if (entries === null) return [];
  if (!Array.isArray(entries))
    throw new UnquotableError('The list of allowed or blocked addresses is damaged. Edit it and save it again.');
  return entries;
}
