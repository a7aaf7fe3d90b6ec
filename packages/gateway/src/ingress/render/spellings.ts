import { type ConfigText, pattern } from './configText.ts';
import type { DesiredHttpService } from './desiredState.ts';
import type { AddressTrees } from './access.ts';

// One backend may be behind a path with a list or a sign-in and behind one without, and read a path otherwise than nginx
// does: in any case, without what follows a semicolon or an encoded ? or #, with a backslash for a slash, decoded twice. nginx would find the
// path without protection for such a spelling, so the list or the sign-in counts for it as well.

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
  /** Whether its row asks for a sign-in, also while it shows its content to nobody. */
  asksSignIn: boolean;
};

/** How the protected services of one server are kept from being reached through this one. */
export type Neighbours<Plan> = {
  /** A path that has several meanings is refused. */
  refusesTricks: boolean;
  /** The variables that contain a 1 where the visitor must stay out. */
  outsiders: readonly string[];
  /** The services that ask for a sign-in and have paths whose other spellings nginx finds here. */
  guarded: readonly Plan[];
};

/** Which services have lists that their neighbours' paths must not lead past. */
export type Spellings = {
  /** Notes those services of one server. @throws {UnquotableError} when a list is damaged */
  add(services: readonly DesiredHttpService[], plans: readonly PlannedService[], trees: AddressTrees): void;
  /** What each service of one server owes the others. */
  neighbours<Plan extends PlannedService>(plans: readonly Plan[]): (plan: Plan) => Neighbours<Plan>;
  /** Writes what was noted; it stands outside of servers. */
  write(out: ConfigText): void;
};

const isListed = ({ allowedIps, blockedIps }: DesiredHttpService): boolean =>
  [allowedIps, blockedIps].some((list) => list !== null && (!Array.isArray(list) || list.length > 0));

/**
 * What a node says about its paths, with its access token, too, counts for its own services alone; what administrators
 * say about services of this machine counts for all.
 */
const countsFor = (by: PlannedService, found: PlannedService): boolean =>
  by !== found && (by.remoteNode === null || by.remoteNode === found.remoteNode);

export function createSpellings(): Spellings {
  /** By the number of the service. At the root there is no other spelling of its path. */
  const listed = new Map<number, { prefix: string; outsider: string }>();
  return {
    add(services, plans, trees) {
      if (plans.length < 2) return;
      const byId = new Map(services.map((service) => [service.id, service]));
      for (const { id, prefix, answer } of plans) {
        const service = byId.get(id);
        if (service === undefined || !isListed(service)) continue;
        const variable = (kind: 'allowed' | 'blocked', list: readonly string[] | null): string =>
          list === null || list.length === 0 ? '' : trees.add(id, kind, list);
        // One that is closed or disabled lets no visitor in.
        const outsider =
          answer === 'backend'
            ? variable('allowed', service.allowedIps) + variable('blocked', service.blockedIps)
            : '1';
        listed.set(id, { prefix, outsider });
      }
    },
    neighbours(plans) {
      const secured = plans.filter(({ id, asksSignIn }) => asksSignIn || listed.has(id));
      const below = servicesBelow(secured);
      return (plan) => {
        // A path that an administrator gave a service of its own is none of these spellings.
        const within = below(plan.prefix).filter(
          (other) => other.prefix.length > plan.prefix.length && countsFor(other, plan),
        );
        // One whose visitors all sign in needs nobody else to ask for it.
        const isOpen = plan.answer === 'backend' && !plan.builtin && (plan.guard === null || plan.guard.opensSome);
        return {
          refusesTricks: secured.some((other) => countsFor(other, plan)),
          outsiders: within.filter(({ id }) => listed.has(id)).map(({ id }) => `$outsider_${id}`),
          guarded: isOpen ? within.filter(({ asksSignIn }) => asksSignIn) : [],
        };
      };
    },
    write(out) {
      for (const [id, { prefix, outsider }] of listed) {
        if (prefix === '') continue;
        out.owned('httpService', id, () =>
          out.block(`map $uri $outsider_${id}`, () => {
            out.line(`${pattern(`~*${spellingsOf(prefix)}`)} "${outsider}"`);
          }),
        );
      }
    },
  };
}

/** The services at each path or below it, as a backend sees them that knows no case. */
function servicesBelow<Plan extends PlannedService>(plans: readonly Plan[]): (prefix: string) => readonly Plan[] {
  const below = new Map<string, Plan[]>();
  for (const plan of plans) {
    const segments = plan.prefix.toLowerCase().split('/');
    for (let depth = 1; depth <= segments.length; depth += 1) {
      const path = segments.slice(0, depth).join('/');
      const known = below.get(path);
      if (known === undefined) below.set(path, [plan]);
      else known.push(plan);
    }
  }
  return (prefix) => below.get(prefix.toLowerCase()) ?? [];
}

/** A parameter of nginx has at most 4096 bytes, and a backslash stands there twice. */
const MAX_CHARS = 3000;
const ENCODED = '%(?:25)*+';
const SLASH = String.raw`(?:[/\\]|${ENCODED}(?:2f|5c))`;
const PARAMETER = String.raw`(?:;|${ENCODED}3b)(?:[^/\\%]|%(?!(?:25)*(?:2f|5c)))*+`;
const BETWEEN = `(?:(?:${PARAMETER})?+${SLASH})++`;
const END = String.raw`(?:[;/\\?#]|${ENCODED}(?:3b|2f|5c|3f|23)|\z)`;

/**
 * A pattern, to be compared without regard to case, for all that a backend may take for this path or one below it.
 * @param prefix as `pathPrefix` gives it, not empty
 */
export function spellingsOf(prefix: string): string {
  const segments = prefix.split('/').slice(1);
  const whole = segments.map((segment) => BETWEEN + segment.replaceAll(/./g, spelled)).join('');
  if (whole.length <= MAX_CHARS) return `^${whole}${END}`;
  // A path of that length is known by its plain letters.
  return `^${segments.map((segment) => String.raw`(?:;[^/\\]*+)?+[/\\]++${plain(segment)}`).join('')}${END}`;
}

const plain = (text: string): string => text.replaceAll('.', String.raw`\.`);

/** What becomes this letter in lower case although it is another one. */
const FOLDED: Record<string, string> = { k: String.raw`|\xe2\x84\xaa`, s: String.raw`|\xc5\xbf` };

/** A character as it is, or encoded once more than nginx decodes. */
function spelled(character: string): string {
  const lower = character.toLowerCase();
  const hex = (of: string): string => of.charCodeAt(0).toString(16);
  const codes = [...new Set([hex(lower), hex(character.toUpperCase())])].join('|');
  return `(?:${plain(lower)}${FOLDED[lower] ?? ''}|${ENCODED}(?:${codes}))`;
}
