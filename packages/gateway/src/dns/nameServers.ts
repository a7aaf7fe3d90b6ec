import { Resolver } from 'node:dns/promises';
import { errorCode } from '../machine/errorCode.ts';

/** What name servers say about a name. What they say is written by others: it is bounded, and printable. */
export type DnsAnswer = {
  /** Those that are asked, in this order until one answers. */
  nameServers: readonly string[];
  /** The names that it stands for, one after the other. */
  cnames: readonly string[];
  a: readonly string[];
  aaaa: readonly string[];
  /** Why there is no address: there is no such name, it has none, or another code of Node's `dns`; null: there is one. */
  failure: string | null;
};

/** There is no such name. */
export const NO_NAME = 'ENOTFOUND';
/** The name is there, without an address. */
export const NO_ADDRESS = 'ENODATA';

/** Asks name servers, as visitors' machines do; what stands in a hosts file is for this machine alone. */
export type NameServers = { ask(name: string): Promise<DnsAnswer> };

const TRY_MS = 1500;
const TRIES = 2;
const LIMIT_MS = 5000;
const ADDRESSES_MAX = 20;
const CNAMES_MAX = 8;
const NAME_MAX_CHARS = 253;

/** @param servers `ADDRESS` or `ADDRESS:PORT`; none: those that this machine is set to use, looked up at each question */
export function createNameServers(servers: readonly string[] = [], limitMs = LIMIT_MS): NameServers {
  return {
    async ask(name) {
      const resolver = new Resolver({ timeout: TRY_MS, maxTimeout: TRY_MS, tries: TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      const timer = setTimeout(() => resolver.cancel(), limitMs);
      try {
        const [a, aaaa, cnames] = await Promise.all([
          addresses(resolver.resolve4(name)),
          addresses(resolver.resolve6(name)),
          aliases(resolver, name),
        ]);
        const isFound = a.found.length + aaaa.found.length > 0;
        return {
          nameServers: resolver.getServers(),
          cnames,
          a: a.found,
          aaaa: aaaa.found,
          failure: isFound ? null : worse(a.failure, aaaa.failure),
        };
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function addresses(asked: Promise<string[]>): Promise<{ found: string[]; failure: string }> {
  try {
    return { found: [...new Set(await asked)].slice(0, ADDRESSES_MAX), failure: NO_ADDRESS };
  } catch (error) {
    return { found: [], failure: errorCode(error) };
  }
}

/** Of two reasons, the one that says more: that a name does not exist, then that no one knows. */
function worse(one: string, other: string): string {
  if ([one, other].includes(NO_NAME)) return NO_NAME;
  return one === NO_ADDRESS ? other : one;
}

/** A chain may be a circle, or have no end. */
async function aliases(resolver: Resolver, name: string): Promise<string[]> {
  const chain: string[] = [];
  let next = name;
  while (chain.length < CNAMES_MAX) {
    const [target] = await resolver.resolveCname(next).catch(() => []);
    if (target === undefined || target === name || chain.includes(target)) break;
    chain.push(target);
    next = target;
  }
  return chain.map((each) => each.slice(0, NAME_MAX_CHARS).replaceAll(/[^\u0021-\u007e]/g, '?'));
}
