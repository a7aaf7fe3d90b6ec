import { refuseClimbing, refuseTricks } from './ambiguousPaths.ts';
import type { ConfigText } from './configText.ts';
import { writeProxyHeaders } from './proxyHeaders.ts';
import { SAID_HOST } from './visitedHost.ts';
import { FOR_VISITOR, IGNORED_OF_NODES, KEEPS_CACHING } from './responseHeaders.ts';
import type { ServicePlan } from './service.ts';
import { ASKS_NOTHING, writeGuard, writeOpenRoutes, writePlainPathAlone } from './signIn.ts';
import { createSpellings, type Neighbours, type Spellings } from './spellings.ts';

/**
 * nginx takes 7 kB for each location of each generation. Where a server has so many services below its root, each is one
 * location instead of two: with 2000 services on 50 domains a reload takes a fifth less time, and nginx 33 instead of 45 MB.
 */
const SINGLE_FROM = 32;
/** A parameter of nginx has at most 4096 bytes. */
const MAX_SINGLE_CHARS = 4000;

/**
 * The services of one server. The longest prefix wins, and a prefix ends where a segment ends: /app is not /apple.
 * @param split whether the server has locations of its own below which no service may reach
 * @param shared whether its name is one of several nodes
 */
export function writeServices(
  out: ConfigText,
  plans: readonly ServicePlan[],
  { split, spellings, shared = false }: { split: boolean; spellings: Spellings; shared?: boolean },
): void {
  refuseClimbing(out, plans);
  const single = split ? [] : singlesOf(plans);
  const isSingle = new Set(single);
  const rest = single.length === 0 ? 'location /' : `location ~ ${outside(single)}`;
  for (const plan of plans) {
    const placed = { plan, shared, ...spellings.neighbours(plan) };
    if (plan.prefix === '') writeAt(out, placed, [rest]);
    else if (isSingle.has(plan)) writeAt(out, placed, [`location ${plan.prefix}`]);
    else {
      // Where there is a pattern, what is found here must not be asked of it.
      const below = single.length === 0 ? 'location' : 'location ^~';
      writeAt(out, placed, [`location = ${plan.prefix}`, `${below} ${plan.prefix}/`]);
    }
  }
  if (plans.every(({ prefix }) => prefix !== '')) out.block(rest, () => out.line('return 404'));
}

/** A server that belongs to one service. */
export function writeOnlyService(out: ConfigText, plan: ServicePlan): void {
  writeServices(out, [plan], { split: true, spellings: createSpellings() });
}

/**
 * The services that one location can hold: nginx would find /apple there, too, if a pattern did not take that away. One
 * within another's path has two, since the pattern sends what it takes away to the root.
 */
function singlesOf(plans: readonly ServicePlan[]): ServicePlan[] {
  if (plans.length < SINGLE_FROM || plans.some(({ builtin, guard }) => builtin || guard !== null)) return [];
  const prefixes = new Set(plans.map(({ prefix }) => prefix));
  const single: ServicePlan[] = [];
  let chars = 0;
  for (const plan of plans) {
    if (plan.prefix === '' || isWithin(plan.prefix, prefixes)) continue;
    chars += patternChars(plan.prefix);
    if (chars > MAX_SINGLE_CHARS) break;
    single.push(plan);
  }
  return single.length < SINGLE_FROM ? [] : single;
}

/** Whether one of the paths leads to the prefix. */
function isWithin(prefix: string, paths: ReadonlySet<string>): boolean {
  for (let end = prefix.lastIndexOf('/'); end > 0; end = prefix.lastIndexOf('/', end - 1)) {
    if (paths.has(prefix.slice(0, end))) return true;
  }
  return false;
}

/** A pattern for all paths that are not below one of those. */
function outside(plans: readonly ServicePlan[]): string {
  const paths = pathPattern(plans.map(({ prefix }) => prefix));
  // `$` would also fit before a line feed, which a visitor can write as %0A.
  return String.raw`"^(?!${paths}(?:/|\\z))"`;
}

type Placed = Neighbours & { plan: ServicePlan; shared: boolean };

function writeAt(out: ConfigText, placed: Placed, heads: readonly string[]): void {
  const { plan } = placed;
  const { guard } = plan;
  out.owned('httpService', plan.id, () => {
    for (const head of heads) {
      const below = head.endsWith('/');
      out.block(head, () => {
        if (plan.builtin) writeProxyHeaders(out, '""', { host: SAID_HOST });
        // A location for one path alone holds no others.
        const asks = head.startsWith('location = ') ? null : placed.asks;
        const isGuarded = guard !== null && (below || !guard.opensPrefix);
        if (isGuarded) writeGuard(out, String(plan.id));
        else if (guard !== null) writePlainPathAlone(out);
        else if (asks?.what.has('sign_in')) writeGuard(out, ASKS_NOTHING);
        writeAnswer(out, placed, asks, isGuarded);
        if (guard !== null && below) writeOpenRoutes(out, guard, () => writeAnswer(out, placed, null, false));
      });
    }
  });
}

/** What a location of the service answers, to those who may come in. */
function writeAnswer(
  out: ConfigText,
  { plan, shared, refusesTricks, place, outsider }: Placed,
  asks: Placed['asks'],
  isGuarded: boolean,
): void {
  if (!plan.builtin) out.line(`set $service_id ${plan.id}`);
  if (plan.remoteNode !== null) {
    out.line(`set $node_share "$pid:${plan.remoteNode}"`);
    out.line(`proxy_ignore_headers ${IGNORED_OF_NODES}`);
  } else if (shared) out.line(KEEPS_CACHING);
  if (place !== null) out.line(`set $place "${place}"`);
  if (refusesTricks) refuseTricks(out);
  if (isGuarded || plan.isListed) out.line(FOR_VISITOR);
  else if (outsider !== null) out.line(`set $for_visitor ${outsider}`);
  for (const variable of plan.outsiders) out.block(`if (${variable})`, () => out.line('return 403'));
  if (outsider !== null) out.block(`if (${outsider})`, () => out.line('return 403'));
  // Another spelling of the path of a service that asks for a sign-in leads to where it did, but after a sign-in.
  // Patterns open nothing there: they were written for the service's own path.
  for (const what of asks?.what ?? []) {
    const then = what === 'sign_in' ? ['set $asked_service ""', FOR_VISITOR] : [`return ${what}`];
    out.block(`if (${asks?.variable} = ${what})`, () => then.forEach((directive) => out.line(directive)));
  }
  for (const directive of plan.body) out.line(directive);
}

/** What one more path makes a pattern longer by at most, next to its own characters: `(?:`, `|` and `)?`. */
const FORK_CHARS = 6;

/** Of what a path may hold only the dot means something in a pattern; a backslash stands twice between quotes. */
const literal = (text: string): string => text.replaceAll('.', String.raw`\\.`);

/**
 * A pattern for exactly these paths, to stand between quotes. What several of them begin with stands there once, as the
 * stem of a tree: a request is compared with it letter by letter, and not with each path in turn.
 * @param paths as `pathPrefix` gives them, none of them twice
 */
export function pathPattern(paths: readonly string[]): string {
  const isOne = paths.includes('');
  const byFirst = Map.groupBy(
    paths.filter((path) => path !== ''),
    ([first]) => first,
  );
  const ways = [...byFirst].map(
    ([first = '', those]) => literal(first) + pathPattern(those.map((path) => path.slice(first.length))),
  );
  if (ways.length === 0) return '';
  if (ways.length === 1 && !isOne) return ways.join('');
  return `(?:${ways.join('|')})${isOne ? '?' : ''}`;
}

/** So many characters a pattern grows by at most with one path more. */
export const patternChars = (path: string): number => literal(path).length + FORK_CHARS;
