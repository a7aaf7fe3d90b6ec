import type { AddressTrees } from './access.ts';
import { type ConfigText, pattern } from './configText.ts';
import type { DesiredHttpService } from './desiredState.ts';

// One backend may be behind a path with a list or a sign-in and behind one without, and read a path otherwise than nginx
// does: in any case, without what follows a semicolon or an encoded ? or #, with a backslash for a slash, decoded twice.
// nginx would find the path without protection for such a spelling, so the list or the sign-in counts for it as well.
//
// A request is compared with all protected paths of its server once, the deepest first, and what counts for the paths
// above follows from that: with a condition of its own for each path, a few hundred of them filled nginx's memory.

/** What is known of a service of a server once it is planned. */
export type PlannedService = {
  id: number;
  /** Without its last slash; the root is empty. */
  prefix: string;
  builtin: boolean;
  /** The node behind the tunnel whose it is; null: the gateway's own machine. */
  remoteNode: number | null;
  /** How it is answered: by its backend, not at all (404), or with an excuse (503). */
  answer: 'backend' | 'nothing' | 'closed';
  /** Visitors must sign in; null: they need not. */
  guard: { opensSome: boolean } | null;
  /** Whether its row asks for a sign-in, also while it shows its content to no one. */
  asksSignIn: boolean;
};

/** How the protected services of one server are kept from being reached through this one. */
export type Neighbours = {
  /** A path that has several meanings is refused. */
  refusesTricks: boolean;
  /** As many letters x as its path has segments; null: nothing below it is protected. */
  place: string | null;
  /** The variable that is 1 where the visitor must stay out, and 0 where a list lets the visitor in. */
  outsider: string | null;
  /** The variable that says what the path below it asks for, and what that may be. */
  asks: { variable: string; what: ReadonlySet<Asked> } | null;
};

/** A sign-in, or, where the service with that path shows its content to no one, its answer. */
export type Asked = 'sign_in' | 503 | 404;

/** Which services have lists or a sign-in that their neighbours' paths must not lead past. */
export type Spellings = {
  /** Notes those services of one server. @throws {UnquotableError} when a list is damaged */
  add(services: readonly DesiredHttpService[], plans: readonly PlannedService[], trees: AddressTrees): void;
  /** What a service owes the others of its server. */
  neighbours(plan: PlannedService): Neighbours;
  /** Writes what was noted; it stands outside of servers. */
  write(out: ConfigText): void;
};

/** What is protected at one path, in whichever case its services write it. */
type Protected = { path: string; owner: number; outsiders: Set<string>; asks: Asked | null };

/** The services of one server and node that have protected paths below them, and these paths. */
type Scope = { places: Set<number>; paths: Map<string, Protected> };

const NONE: Neighbours = { refusesTricks: false, place: null, outsider: null, asks: null };

const isListed = ({ allowedIps, blockedIps }: DesiredHttpService): boolean =>
  [allowedIps, blockedIps].some((list) => list !== null && (!Array.isArray(list) || list.length > 0));

/**
 * What a node says about its paths, with its access token, too, counts for its own services alone; what administrators
 * say about services of this machine counts for all.
 */
const countsFor = (by: PlannedService, found: PlannedService): boolean =>
  by !== found && (by.remoteNode === null || by.remoteNode === found.remoteNode);

const depthOf = (path: string): number => path.split('/').length - 1;

/** The paths above a path, the nearest first; the root is empty. */
function above(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, segments.length - 1 - index).join('/'));
}

export function createSpellings(): Spellings {
  const scopes: Scope[] = [];
  const neighbours = new Map<number, Neighbours>();

  function add(services: readonly DesiredHttpService[], plans: readonly PlannedService[], trees: AddressTrees): void {
    if (plans.length < 2) return;
    const byId = new Map(services.map((service) => [service.id, service]));
    const secured = plans.flatMap((plan) => {
      const service = byId.get(plan.id);
      const isFound = service !== undefined && isListed(service);
      if (!isFound) return plan.asksSignIn ? [{ plan, outsiders: [] }] : [];
      // One that is closed or disabled lets no visitor in.
      if (plan.answer !== 'backend') return [{ plan, outsiders: ['1'] }];
      const outsiders = (['allowed', 'blocked'] as const).flatMap((kind) => {
        const list = kind === 'allowed' ? service.allowedIps : service.blockedIps;
        return list === null || list.length === 0 ? [] : [trees.add(plan.id, kind, list)];
      });
      return [{ plan, outsiders }];
    });
    if (secured.length === 0) return;
    const placesAt = Map.groupBy(plans, ({ prefix }) => prefix.toLowerCase());
    const byNode = new Map<number | null, Scope>();
    for (const { plan, outsiders } of secured) {
      const path = plan.prefix.toLowerCase();
      // A path that an administrator gave a service of its own is none of these spellings.
      const places = above(path).flatMap((upper) => placesAt.get(upper) ?? []);
      for (const place of places.filter((each) => countsFor(plan, each))) {
        const scope = byNode.get(place.remoteNode) ?? { places: new Set(), paths: new Map() };
        byNode.set(place.remoteNode, scope);
        scope.places.add(place.id);
        const there = scope.paths.get(path) ?? { path, owner: plan.id, outsiders: new Set(), asks: null };
        scope.paths.set(path, there);
        // Where a node writes the path of a service of the gateway in another case, what nginx says of it is the node's.
        if (plan.remoteNode !== null) there.owner = plan.id;
        for (const outsider of outsiders) there.outsiders.add(outsider);
        if (plan.asksSignIn) there.asks = stricter(there.asks, plan);
      }
    }
    scopes.push(...byNode.values());
    for (const plan of plans) {
      const scope = byNode.get(plan.remoteNode);
      const refusesTricks = secured.some((other) => countsFor(other.plan, plan));
      neighbours.set(plan.id, { ...below(plan, scope), refusesTricks });
    }
  }

  function below(plan: PlannedService, scope: Scope | undefined): Neighbours {
    if (scope === undefined || !scope.places.has(plan.id)) return NONE;
    const paths = [...scope.paths.values()];
    const what = new Set(paths.flatMap(({ asks }) => asks ?? []));
    // One whose visitors all sign in needs no one else to ask for it.
    const isOpen = plan.answer === 'backend' && !plan.builtin && (plan.guard === null || plan.guard.opensSome);
    return {
      refusesTricks: false,
      place: 'x'.repeat(depthOf(plan.prefix)),
      outsider: paths.some(({ outsiders }) => outsiders.size > 0) ? `$outsider_${nameOf(scope)}` : null,
      asks: isOpen && what.size > 0 ? { variable: `$asks_${nameOf(scope)}`, what } : null,
    };
  }

  return {
    add,
    neighbours: ({ id }) => neighbours.get(id) ?? NONE,
    write(out) {
      for (const scope of scopes) {
        writePaths(out, scope, {
          name: `$outsider_${nameOf(scope)}`,
          has: ({ outsiders }) => outsiders.size > 0,
          key: ({ outsiders }) => keyOf([...outsiders].join('')),
          here: () => ['[01]*1', '1'],
          otherwise: '0',
        });
        writePaths(out, scope, {
          name: `$asks_${nameOf(scope)}`,
          has: ({ asks }) => asks !== null,
          key: () => '',
          here: ({ asks }) => ['', String(asks)],
          otherwise: '""',
        });
      }
    },
  };
}

/** A parameter of nginx has at most 4096 bytes: where so many lists count for a path, its other spellings are refused. */
const keyOf = (variables: string): string => (variables.length > MAX_CHARS ? '1' : variables);

/** A service belongs to one server and one node. */
const nameOf = ({ places }: Scope): number => Math.min(...places);

/** Where services write the same path in different cases, the one that shows least decides. */
function stricter(before: Asked | null, { answer }: PlannedService): Asked {
  if (before === 404 || answer === 'nothing') return 404;
  return before === 503 || answer === 'closed' ? 503 : 'sign_in';
}

/** nginx asks variables of each other to a depth of 100, and takes them for empty then: this many paths are asked at most. */
const MAX_CHAINED = 50;

/**
 * Writes what counts where a request was found: the deepest path whose spelling it is names a variable, which looks at
 * that path and, if nothing is said there, asks the variable of the path above it. Only what lies below the place counts.
 */
function writePaths(
  out: ConfigText,
  { paths }: Scope,
  kind: {
    name: string;
    has(path: Protected): boolean;
    key(path: Protected): string;
    /** What the key is like where it is said, and what the variable is then. */
    here(path: Protected): [pattern: string, value: string];
    /** What the variable is where nothing is said, here and above. */
    otherwise: string;
  },
): void {
  const deepestFirst = [...paths.values()]
    .filter((path) => kind.has(path))
    .toSorted((left, right) => depthOf(right.path) - depthOf(left.path) || (left.path < right.path ? -1 : 1));
  if (deepestFirst.length === 0) return;
  const variables = new Map(deepestFirst.map(({ path }, index) => [path, `${kind.name}_${index}`]));
  const chained = new Map<string, number>();
  for (const { path } of deepestFirst.toReversed()) {
    const upper = above(path).find((each) => variables.has(each));
    chained.set(path, upper === undefined ? 0 : ((chained.get(upper) ?? 0) + 1) % MAX_CHAINED);
  }
  for (const each of deepestFirst) {
    const upper = above(each.path).find((path) => variables.has(path));
    const [said, value] = kind.here(each);
    const isCut = upper !== undefined && chained.get(each.path) === 0;
    out.owned('httpService', each.owner, () =>
      out.block(`map "$place:${kind.key(each)}" ${variables.get(each.path)}`, () => {
        out.line(`${pattern(`~^x{0,${depthOf(each.path) - 1}}:${said}`)} ${value}`);
        const asked = upper === undefined ? kind.otherwise : variables.get(upper);
        out.line(`default ${isCut ? value : asked}`);
      }),
    );
  }
  out.block(`map $uri ${kind.name}`, () => {
    for (const { path, owner } of deepestFirst) {
      out.owned('httpService', owner, () => out.line(`${pattern(`~*${spellingsOf(path)}`)} ${variables.get(path)}`));
    }
  });
}

/** A parameter of nginx has at most 4096 bytes, and a backslash stands there twice. */
const MAX_CHARS = 3000;
// What repeats gives nothing back: the engine would keep a place for each turn, and of a long path nginx would say that it
// does not match.
const ENCODED = '%(?:25)*+';
const SLASH = String.raw`(?:[/\\]|${ENCODED}(?:2f|5c))`;
/** What Windows takes from the end of a name. */
const CUT = String.raw`(?:[\x01-\x20.]|${ENCODED}(?:0[1-9a-f]|1.|20|2e))*+`;
/** After a semicolon, or, for Windows, a colon: the stream of a file. */
const PARAMETER = String.raw`(?:[;:]|${ENCODED}3[ab])(?:[^/\\%]|%(?!(?:25)*+(?:2f|5c)))*+`;
const BETWEEN = `(?:${CUT}(?:${PARAMETER})?+${SLASH})++`;
const END = String.raw`(?:[;:/\\?#]|${ENCODED}(?:3[ab]|2f|5c|3f|23|00)|\z)`;

/**
 * A pattern, to be compared without regard to case, for all that a backend may take for this path or one below it.
 * @param prefix as `pathPrefix` gives it, not empty
 */
export function spellingsOf(prefix: string): string {
  const segments = prefix.split('/').slice(1);
  const whole = segments.map((segment) => BETWEEN + segment.replaceAll(/./g, spelled)).join('') + CUT;
  if (whole.length <= MAX_CHARS) return `^${whole}${END}`;
  // A path of that length is known by its plain letters.
  return `^${segments.map((segment) => String.raw`(?:;[^/\\]*+)?+[/\\]++${plain(segment)}`).join('')}${END}`;
}

const plain = (text: string): string => text.replaceAll('.', String.raw`\.`);

/** What becomes this letter in lower or in upper case, in some language, although it is another one. */
const FOLDED: Record<string, string> = {
  i: String.raw`|\xc4[\xb0\xb1]`,
  k: String.raw`|\xe2\x84\xaa`,
  s: String.raw`|\xc5\xbf`,
};

/** A character as it is, or encoded once more than nginx decodes. */
function spelled(character: string): string {
  const lower = character.toLowerCase();
  const hex = (of: string): string => of.charCodeAt(0).toString(16);
  const codes = [...new Set([hex(lower), hex(character.toUpperCase())])].join('|');
  return `(?:${plain(lower)}${FOLDED[lower] ?? ''}|${ENCODED}(?:${codes}))`;
}
