import { field } from '@sallyport/sdk/contract';
import { isAtOrBelow } from '../rules/domainName.ts';
import { type Place, placeText } from './caddyfileTokens.ts';
import type { Matcher, Matchers } from './caddyMatchers.ts';

/** The names that a part of a site is for: those that are known, and patterns such as `*.example.com`; `*` is any. */
type Hosts = { names: string[]; patterns: string[] };

/** A path that a part of a site is for; of these only `all` and `below` are what a path means here. */
type ScopePath = { path: string; kind: 'all' | 'below' | 'beginning' | 'one' };

/** A part of a site, and what counts for all that is in it. */
export type Scope = {
  hosts: Hosts;
  paths: ScopePath[];
  allowed: string[] | null;
  blocked: string[] | null;
  /** Why all of it is closed; null: it is not. */
  closed: string | null;
  /** Why the requests in it do not reach a backend as they came; null: they do. */
  changed: string | null;
  matchers: Matchers;
};

export const rootScope = (hosts: Hosts, closed: string | null): Scope => ({
  hosts,
  paths: [{ path: '/', kind: 'all' }],
  allowed: null,
  blocked: null,
  closed,
  changed: null,
  matchers: new Map(),
});

/** The hosts out of a scope that a matcher is for. */
export function hostsOf({ hosts: { names, patterns } }: Scope, wanted: readonly string[] | null): Hosts {
  if (wanted === null) return { names, patterns };
  const isWithin = (host: string, pattern: string): boolean =>
    pattern === '*' || (pattern.startsWith('*.') && host.slice(host.indexOf('.')) === pattern.slice(1));
  const isKnown = (host: string): boolean => names.includes(host) || patterns.some((each) => isWithin(host, each));
  return {
    names: wanted.filter((host) => !host.includes('*') && isKnown(host)),
    patterns: wanted.filter((host) => host.includes('*') && (patterns.includes(host) || patterns.includes('*'))),
  };
}

/**
 * The part of a scope that a matcher is for.
 * @returns paths that mean nothing here apart from it
 */
export function narrowed(scope: Scope, matcher: Matcher, at: Place): { scope: Scope; strange: string[] } {
  const strange: string[] = [];
  const wanted = matcher.paths?.flatMap((pattern) => {
    const path = readPath(pattern);
    if (path === null) strange.push(pattern);
    return path ?? [];
  });
  const paths =
    wanted === undefined ? scope.paths : scope.paths.flatMap((outer) => wanted.flatMap((each) => both(outer, each)));
  const inner = { ...scope, hosts: hostsOf(scope, matcher.hosts), paths };
  if (matcher.inside !== null) allowOnly(inner, matcher.inside, at);
  if (matcher.outside !== null) block(inner, matcher.outside);
  return { scope: inner, strange };
}

/** Lets in only visitors of these networks. */
export function allowOnly(scope: Scope, networks: string[], at: Place): void {
  if (scope.allowed === null || scope.allowed.join() === networks.join()) scope.allowed = networks;
  else scope.closed ??= `${placeText(at)} has a second list of addresses that may come in`;
}

/** Keeps out visitors of these networks. */
export function block(scope: Scope, networks: readonly string[]): void {
  scope.blocked = [...new Set([...(scope.blocked ?? []), ...networks])];
}

/** Whether its paths mean here what they mean there, so that a protection of the scope is as large as there. */
export const isExact = ({ paths }: Scope): boolean => paths.every(({ kind }) => kind === 'all' || kind === 'below');

function readPath(pattern: string): ScopePath | null {
  if (pattern === '*' || pattern === '/*') return { path: '/', kind: 'all' };
  const kind = pattern.endsWith('/*') ? 'below' : pattern.endsWith('*') ? 'beginning' : 'one';
  const path = pattern.replace(/\/?\*?$/, '') || '/';
  // One page alone cannot be told from all of the site.
  return path !== '/' && field.urlPath.safeParse(path).success ? { path, kind } : null;
}

/** What fits two patterns, one within the other. */
function both(outer: ScopePath, inner: ScopePath): ScopePath[] {
  if (outer.kind === 'all') return [inner];
  if (inner.kind === 'all') return [outer];
  if (outer.path === inner.path) return [inner.kind === 'one' || outer.kind === 'beginning' ? inner : outer];
  if (isAtOrBelow(inner.path, outer.path)) return outer.kind === 'one' ? [] : [inner];
  return isAtOrBelow(outer.path, inner.path) && inner.kind !== 'one' ? [outer] : [];
}
