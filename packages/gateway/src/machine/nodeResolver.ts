import { askDns, RCODE } from './dnsQuestion.ts';
import { errorCode } from './errorCode.ts';

/** A DNS server behind the tunnel, and the address of the gateway's own from which it is asked. */
export type NodeResolver = {
  /** An IPv4 address, with `:` and a port where it is not 53. */
  server: string;
  from: string;
};

/** It is asked twice, so long each time: an answer to the second makes a change of its own. */
const TRY_MS = 600;
const TRIES = 2;

/**
 * Asks a node's resolver for the IPv4 addresses of a name; its tunnel carries no others.
 *
 * @returns the addresses, or why there are none, as a part of a sentence
 */
export async function askResolver(
  host: string,
  { server, from }: NodeResolver,
): Promise<{ addresses: string[] } | { reason: string }> {
  try {
    const answer = await askDns({ host, type: 'A', server, from, tries: TRIES, tryMs: TRY_MS });
    if (answer === null) return { reason: `no resolver answers at ${server}` };
    const { addresses, isCut, code } = answer;
    if (addresses.length > 0) return { addresses };
    if (isCut) return { reason: `the answer of the resolver at ${server} is too long` };
    if (code === RCODE.ok || code === RCODE.unknown) return { reason: `the resolver at ${server} does not know it` };
    return { reason: `no resolver answers at ${server} (${code === RCODE.failed ? 'SERVFAIL' : `RCODE ${code}`})` };
  } catch (error) {
    return { reason: `no resolver answers at ${server} (${errorCode(error)})` };
  }
}
