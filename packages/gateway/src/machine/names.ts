import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { errorCode } from './errorCode.ts';

/** A DNS server behind the tunnel, and the address of the gateway's own from which it is asked. */
export type NodeResolver = { server: string; from: string };

/** Looks up the addresses of backends. */
export type Names = {
  /**
   * @param at the resolver that is asked instead of this machine's
   * @throws {NameError} when there is no address, with a sentence that says so; with `at`, the part of one
   */
  resolve(host: string, at?: NodeResolver): Promise<string[]>;
};

/** A name has no address now. */
export class NameError extends Error {
  override readonly name = 'NameError';
}

type Lookup = (host: string) => Promise<{ address: string }[]>;

const LOOKUP_LIMIT_MS = 5000;
const REASONS: Record<string, string> = {
  ENOTFOUND: 'is not known',
  EAI_AGAIN: 'cannot be looked up now: the name server does not answer',
  ENODATA: 'has no address',
};

const systemLookup: Lookup = (host) => lookup(host, { all: true, order: 'verbatim' });

/** Names as this machine resolves them, its hosts file included, or as a node does. */
export function createNames(): Names {
  return { resolve: (host, at) => (at === undefined ? resolveHost(host) : resolveAt(host, at)) };
}

/** Within the time for which a change waits for names. */
const REMOTE_LIMIT_MS = 600;
const REMOTE_TRIES = 2;
/** An answer may hold 4000, to be sorted and compared each time. */
const REMOTE_ADDRESSES_MAX = 64;
const UNKNOWN = ['ENOTFOUND', 'ENODATA'];

/** The IPv4 addresses of a name as a node's resolver answers; its tunnel carries no others. */
async function resolveAt(host: string, { server, from }: NodeResolver): Promise<string[]> {
  const resolver = new Resolver({ timeout: REMOTE_LIMIT_MS, tries: REMOTE_TRIES });
  resolver.setServers([server]);
  // So that no question leaves by another way than the tunnel.
  resolver.setLocalAddress(from);
  try {
    return (await resolver.resolve4(host)).slice(0, REMOTE_ADDRESSES_MAX);
  } catch (error) {
    const code = errorCode(error);
    const reason = UNKNOWN.includes(code)
      ? `the resolver at ${server} does not know it`
      : `no resolver answers at ${server} (${code})`;
    throw new NameError(reason, { cause: error });
  }
}

/**
 * The addresses of a host, in the order in which the resolver gives them. An address is its own answer.
 * @throws {NameError} after five seconds, or when there is none
 */
export async function resolveHost(
  host: string,
  lookUp: Lookup = systemLookup,
  limitMs = LOOKUP_LIMIT_MS,
): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  // A look-up cannot be called off; its late answer is left unheard.
  const timer = setTimeout(() => reject(new NameError(`The name ${host} was not answered in time.`)), limitMs);
  try {
    const found = await Promise.race([lookUp(host), tooLate]);
    const addresses = [...new Set(found.map(({ address }) => address))];
    if (addresses.length === 0) throw new NameError(`The name ${host} has no address.`);
    return addresses;
  } catch (error) {
    if (error instanceof NameError) throw error;
    const code = errorCode(error);
    throw new NameError(`The name ${host} ${REASONS[code] ?? `cannot be looked up (${code || String(error)})`}.`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}
