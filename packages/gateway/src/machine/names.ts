import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { errorCode } from './errorCode.ts';
import { askResolver, type NodeResolver } from './nodeResolver.ts';

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
  return {
    async resolve(host, at) {
      if (at === undefined) return resolveHost(host);
      const answer = await askResolver(host, at);
      if ('reason' in answer) throw new NameError(answer.reason);
      return answer.addresses;
    },
  };
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
