/**
 * What an API token may be allowed to do: for each kind of object, to read or to write. Each endpoint says which of
 * these it needs; one that names none is for the administrator's own session alone.
 */
export const rights = [
  'nodes:read',
  'nodes:write',
  'domains:read',
  'domains:write',
  'services:read',
  'services:write',
  'tokens:read',
  'tokens:write',
  'logs:read',
] as const;
export type Right = (typeof rights)[number];

/** What each kind of object is called where people choose the rights of a token. */
export const rightKinds = {
  nodes: 'Nodes',
  domains: 'Domains',
  services: 'Services',
  tokens: 'Access tokens and WireGuard configurations of nodes',
  logs: 'Logs',
} as const;

/** Whether a scope has a right. To write includes to read: the answer to a write shows the object. */
export const hasRight = (scope: readonly Right[], right: Right): boolean =>
  scope.includes(right) || scope.includes(right.replace(/:read$/, ':write') as Right);

/** Whether a scope has a right for domains, which belong to no node. */
export const hasDomainRights = (scope: readonly Right[]): boolean =>
  scope.some((right) => right.startsWith('domains:'));
