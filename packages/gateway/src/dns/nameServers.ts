import { Resolver } from 'node:dns/promises';
import { askDns, type DnsReply, RCODE } from '../machine/dnsQuestion.ts';
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

/** What Node's `dns` calls the codes of answers. */
const CODES: Record<number, string> = {
  [RCODE.ok]: NO_ADDRESS,
  [RCODE.malformed]: 'EFORMERR',
  [RCODE.failed]: 'ESERVFAIL',
  [RCODE.unknown]: NO_NAME,
  [RCODE.unsupported]: 'ENOTIMP',
  [RCODE.refused]: 'EREFUSED',
};

/** @param servers `ADDRESS` or `ADDRESS:PORT`; none: those that this machine is set to use, looked up at each question */
export function createNameServers(servers: readonly string[] = [], limitMs = LIMIT_MS): NameServers {
  return {
    async ask(name) {
      const nameServers = servers.length > 0 ? servers : new Resolver().getServers();
      const signal = AbortSignal.timeout(limitMs);
      const [a, aaaa] = await Promise.all([
        addresses(name, 'A', nameServers, signal),
        addresses(name, 'AAAA', nameServers, signal),
      ]);
      const isFound = a.found.length + aaaa.found.length > 0;
      const aliases = a.aliases.length > 0 ? a.aliases : aaaa.aliases;
      return {
        nameServers,
        // A chain may be a circle, or have no end.
        cnames: [...new Set(aliases)].filter((alias) => alias !== name).slice(0, CNAMES_MAX),
        a: a.found,
        aaaa: aaaa.found,
        failure: isFound ? null : worse(a.failure, aaaa.failure),
      };
    },
  };
}

type Found = { found: string[]; aliases: string[]; failure: string };

/** Asks one server after the other until one knows, and all of them again. */
async function addresses(
  host: string,
  type: 'A' | 'AAAA',
  nameServers: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  let failure = 'ECONNREFUSED';
  for (let turn = 0; turn < TRIES; turn += 1) {
    for (const server of nameServers) {
      try {
        const reply = await askDns({ host, type, server, tries: 1, tryMs: TRY_MS, signal });
        if (signal.aborted) return { found: [], aliases: [], failure: 'ECANCELLED' };
        failure = failureOf(reply);
        if (reply !== null && FINAL.includes(failure)) {
          return { found: [...new Set(reply.addresses)].slice(0, ADDRESSES_MAX), aliases: reply.aliases, failure };
        }
      } catch (error) {
        failure = errorCode(error);
      }
    }
  }
  return { found: [], aliases: [], failure };
}

/** Another server says no more. */
const FINAL = [NO_ADDRESS, NO_NAME, 'ETRUNCATED'];

function failureOf(reply: DnsReply | null): string {
  if (reply === null) return 'ETIMEOUT';
  if (reply.isCut && reply.addresses.length === 0) return 'ETRUNCATED';
  return CODES[reply.code] ?? 'EBADRESP';
}

/** Of two reasons, the one that says more: that a name does not exist, then that no one knows. */
function worse(one: string, other: string): string {
  if ([one, other].includes(NO_NAME)) return NO_NAME;
  return one === NO_ADDRESS ? other : one;
}
