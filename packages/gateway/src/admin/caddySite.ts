import type { Directive } from './caddyfile.ts';
import { type Place, placeText } from './caddyfileTokens.ts';
import { type CaddyBackend, readBackend } from './caddyBackend.ts';
import {
  answersAll,
  comparesText,
  kindOf,
  nameOf,
  onlyAnswerOf,
  otherBackendText,
  protectionText,
  refuses,
  unsetIn,
} from './caddyDirectives.ts';
import { EVERYTHING, type Matcher, type MatcherContext, matcherOf, readMatchers } from './caddyMatchers.ts';
import { allowOnly, block, hostsOf, isExact, narrowed, type Scope } from './caddyScope.ts';

type Backend = Pick<CaddyBackend, 'scheme' | 'host' | 'port'>;

/** A path of a host that a backend answers. */
export type Found = Pick<Scope, 'allowed' | 'blocked' | 'closed'> & {
  host: string;
  path: string;
  backend: Backend;
  notes: string[];
  at: Place;
};

/** What is found in a site. */
export type SiteFindings = {
  found: Found[];
  /** Why hosts are closed as a whole; `*` is all of the site. */
  closedHosts: Map<string, string>;
  /** Where hosts are redirected as a whole. */
  redirectedHosts: Map<string, Place>;
  /** What is not taken in, and why. */
  left: { what: string; why: string }[];
  /** What is said of each of its services. */
  notes: string[];
};

const addressOf = ({ host, port }: Backend): string => `${host === 'localhost' ? '127.0.0.1' : host} ${port}`;
const partOf = ({ hosts: { names, patterns }, paths }: Scope): string =>
  [...names, ...patterns].join(', ') + (paths[0]?.kind === 'all' ? '' : ` ${paths.map(({ path }) => path).join(', ')}`);

/** Looks through the directives of a site. @param root for which names they are */
export function walkSite(directives: readonly Directive[], root: Scope, context: MatcherContext): SiteFindings {
  const { found, closedHosts, redirectedHosts, left, notes }: SiteFindings = {
    found: [],
    closedHosts: new Map(),
    redirectedHosts: new Map(),
    left: [],
    notes: [],
  };
  /** Where requests go that cannot be told from others here. */
  const diversions: { scope: Scope; backend: Backend; why: string }[] = [];
  walk(directives, root, false);
  for (const { scope, backend, why } of diversions) {
    if (found.some((each) => addressOf(each.backend) !== addressOf(backend))) closeHosts(scope, EVERYTHING, why);
  }
  return { found, closedHosts, redirectedHosts, left, notes };

  function closeHosts(scope: Scope, matcher: Matcher, why: string): void {
    const { names, patterns } = hostsOf(scope, matcher.hosts);
    for (const host of patterns.length > 0 ? ['*'] : names) if (!closedHosts.has(host)) closedHosts.set(host, why);
  }

  function walk(lines: readonly Directive[], outer: Scope, isInOrder: boolean): void {
    const scope = { ...outer, matchers: readMatchers(lines, outer.matchers, context) };
    const before = found.length;
    for (const line of lines) protect(line, scope);
    // Caddy sorts directives, except in `route`: such an answer comes before all backends.
    const answer = isInOrder ? undefined : lines.find(answersAll);
    for (const line of lines) {
      if (isInOrder && answersAll(line)) break;
      serve(line, scope, answer);
    }
    closeInstead(scope, before);
  }

  /** Where nothing here stands for what is protected there, or not all of it, something else would answer in its place. */
  function closeInstead(scope: Scope, before: number): void {
    const isProtected = scope.closed !== null || scope.allowed !== null || scope.blocked !== null;
    if (!isProtected || (isExact(scope) && found.length > before)) return;
    closeHosts(scope, EVERYTHING, scope.closed ?? `a part of it (${partOf(scope)}) lets in some addresses alone`);
  }

  /** What a line keeps from visitors. In Caddy some lines come before it; here it always counts. */
  function protect(line: Directive, scope: Scope): void {
    const kind = kindOf(line);
    const at = placeText(line.at);
    const unset = kind === 'harmless' ? null : unsetIn(line, kind !== 'container');
    if (unset !== null) {
      scope.closed ??= `${at}: ${unset} has no value here. Name what Caddy has as its environment with --env-file`;
    }
    const { matcher } = matcherOf(line.words, scope.matchers);
    if (kind === 'protection' || nameOf(line) === 'tls') {
      const why = protectionText(line);
      if (why !== null && matcher === EVERYTHING) scope.closed ??= why;
      else if (why !== null) closeHosts(scope, matcher, why);
    } else if (nameOf(line) === 'header') notes.push(`${at}: headers of replies are not changed here`);
    else if (kind === 'change') {
      const why = `${at}: ${nameOf(line)} changes requests on the way to the backend`;
      if (matcher === EVERYTHING) scope.changed ??= why;
      else closeHosts(scope, matcher, why);
    } else if (kind === 'answer' && answersAll(line)) {
      if (nameOf(line) === 'redir') redirect(scope, EVERYTHING, line.at);
    } else if (kind === 'answer') answerSome(line, matcher, scope);
    else if (kind === 'container') {
      const answer = onlyAnswerOf(line);
      if (answer !== null && matcher !== EVERYTHING) answerSome(answer, matcher, scope);
    }
  }

  function redirect(scope: Scope, matcher: Matcher, at: Place): void {
    scope.changed ??= matcher === EVERYTHING ? `${placeText(at)}: redirections are not served yet` : null;
    const { names, patterns } = hostsOf(scope, matcher.hosts);
    left.push({ what: [...names, ...patterns].join(', '), why: `${placeText(at)}: redirections are not served yet` });
    for (const name of names) redirectedHosts.set(name, at);
  }

  /** A line that answers some requests by itself keeps them from the backend. */
  function answerSome(line: Directive, matcher: Matcher, scope: Scope): void {
    const { hosts, paths, inside, outside, other } = matcher;
    const at = placeText(line.at);
    const hasAddresses = inside !== null || outside !== null;
    const isExactAddress = paths?.every((path) => !path.includes('*')) === true;
    if (other !== null) closeHosts(scope, matcher, comparesText(matcher, line.at));
    else if (isExactAddress && !hasAddresses && !refuses(line)) {
      notes.push(`${at}: its backend is asked for ${paths.join(' ')}, which Caddy answers itself`);
    } else if (paths === null && !hasAddresses && nameOf(line) === 'redir') redirect(scope, matcher, line.at);
    else if (paths !== null || hosts !== null || (inside !== null && outside !== null)) {
      closeHosts(scope, matcher, `${at}: ${nameOf(line)} keeps some requests from the backend`);
    } else if (outside !== null) allowOnly(scope, outside, line.at);
    else if (inside !== null) block(scope, inside);
  }

  function serve(line: Directive, outer: Scope, answer: Directive | undefined): void {
    const kind = kindOf(line);
    const at = placeText(line.at);
    const isPath = nameOf(line) === 'handle_path';
    const { matcher, rest } = matcherOf(line.words, outer.matchers);
    if (kind === 'otherBackend') left.push({ what: `${partOf(outer)} (${at})`, why: otherBackendText(line) });
    if ((kind !== 'container' && kind !== 'proxy') || (kind === 'container' && onlyAnswerOf(line) !== null)) return;
    const { scope, strange } = narrowed(outer, matcher, line.at);
    const isStrange = matcher.other !== null || strange.length > 0;
    if (isStrange) left.push({ what: `${partOf(outer)} (${at})`, why: comparesText(matcher, line.at) });
    if (kind === 'container') {
      if (isStrange) closeHosts(outer, matcher, comparesText(matcher, line.at));
      else
        walk(
          line.block ?? [],
          isPath ? { ...scope, changed: `${at}: ${PATH_IS_CUT}` } : scope,
          nameOf(line) === 'route',
        );
      return;
    }
    const backend = readBackend(line, rest);
    if ('why' in backend) left.push({ what: `${partOf(scope)} (${at})`, why: backend.why });
    else if (isStrange) diversions.push({ scope: outer, backend, why: comparesText(matcher, line.at) });
    else {
      const before = found.length;
      const answered =
        answer === undefined ? null : `${placeText(answer.at)}: ${nameOf(answer)} answers every request before it`;
      add({ ...scope, closed: scope.closed ?? backend.closed ?? answered }, backend, line.at);
      if (scope.allowed !== outer.allowed || scope.blocked !== outer.blocked) closeInstead(scope, before);
    }
  }

  function add(scope: Scope, backend: CaddyBackend, at: Place): void {
    const { hosts, paths, changed, allowed, blocked, closed } = scope;
    for (const pattern of hosts.patterns) {
      const why = pattern === '*' ? 'it is served under any name' : 'names with * cannot be served yet';
      left.push({ what: `${pattern} (${placeText(at)})`, why });
    }
    if (changed !== null && hosts.names.length > 0)
      left.push({ what: `${partOf(scope)} (${placeText(at)})`, why: changed });
    if (changed !== null) return;
    for (const host of hosts.names) {
      for (const { path, kind } of paths) {
        const { scheme, host: name, port } = backend;
        const one =
          kind === 'one'
            ? `${placeText(at)}: there ${path} alone leads to it, here what is below ${path} as well`
            : null;
        const more = kind === 'beginning' ? [`${path}x does not lead to it, as there, but ${path}/x does`] : [];
        found.push({
          host,
          path,
          backend: { scheme, host: name, port },
          allowed,
          blocked,
          closed: closed ?? one,
          notes: [...backend.notes, ...more],
          at,
        });
      }
    }
  }
}

const PATH_IS_CUT = 'the path is cut off on the way to the backend';
