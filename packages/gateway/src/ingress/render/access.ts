import { UnquotableError } from '../../rules/attempt.ts';
import { type ConfigText, network } from './configText.ts';

/** The lists of a service of either kind. */
export type AccessLists = { allowedIps: readonly string[] | null; blockedIps: readonly string[] | null };

/** Long lists of HTTP services, as trees in which nginx finds an address in a few steps. */
export type AddressTrees = {
  /** Notes a list; returns the variable that is 1 for anyone who must stay out. @throws {UnquotableError} */
  add(id: number, kind: 'allowed' | 'blocked', list: readonly string[]): string;
  /** Writes all that were noted; they stand outside of servers. */
  write(out: ConfigText): void;
};

/** nginx walks through rules one by one for each request: a list that is longer than this is cheaper as a tree. */
const LONGEST_LIST = 32;

/** All of a family is what `default` says already: nginx would warn of that at each load. */
const HALVES: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0/0': ['0.0.0.0/1', '128.0.0.0/1'],
  '0:0:0:0:0:0:0:0/0': ['::/1', '8000::/1'],
};

/**
 * Who may come in. The first rule that fits decides, so blocks come first. An empty list is none.
 * @throws {UnquotableError} when a list is damaged
 */
export function accessRules({ allowedIps, blockedIps }: AccessLists): string[] {
  const allowed = networks(allowedIps).map((entry) => `allow ${entry}`);
  const blocked = networks(blockedIps).map((entry) => `deny ${entry}`);
  return allowed.length === 0 ? blocked : [...blocked, ...allowed, 'deny all'];
}

/**
 * The same for an HTTP service, whose lists are looked at for each request.
 * @returns `outsiders` are the variables that refuse, `rules` the directives for lists that are short
 * @throws {UnquotableError} when a list is damaged
 */
export function httpAccess(
  { id, allowedIps, blockedIps }: AccessLists & { id: number },
  trees: AddressTrees,
): { outsiders: string[]; rules: string[] } {
  const outsiders: string[] = [];
  const shortOf = (kind: 'allowed' | 'blocked', list: readonly string[] | null): readonly string[] | null => {
    if (list === null || list.length <= LONGEST_LIST) return list;
    outsiders.push(trees.add(id, kind, list));
    return null;
  };
  const rules = accessRules({
    allowedIps: shortOf('allowed', allowedIps),
    blockedIps: shortOf('blocked', blockedIps),
  });
  return { outsiders, rules };
}

export function createAddressTrees(): AddressTrees {
  const trees = new Map<string, { owner: number; listed: 0 | 1; entries: readonly string[] }>();
  return {
    add(id, kind, list) {
      const variable = `$${kind}_${id}`;
      trees.set(variable, { owner: id, listed: kind === 'blocked' ? 1 : 0, entries: networks(list) });
      return variable;
    },
    write(out) {
      for (const [variable, { owner, listed, entries }] of trees) {
        out.owned('httpService', owner, () => {
          out.block(`geo ${variable}`, () => {
            out.line(`default ${1 - listed}`);
            for (const entry of entries.flatMap((each) => HALVES[each] ?? [each])) out.line(`${entry} ${listed}`);
          });
        });
      }
    },
  };
}

/** A list that is not one must not count as "everybody". */
function networks(entries: readonly string[] | null): string[] {
  if (entries === null) return [];
  if (!Array.isArray(entries))
    throw new UnquotableError('The list of allowed or blocked addresses is damaged. Edit it and save it again.');
  return [...new Set(entries.map(network))];
}
