import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { decode, encode, RECURSION_DESIRED } from 'dns-packet';
import { errorCode } from './errorCode.ts';

/** A DNS server behind the tunnel, and the address of the gateway's own from which it is asked. */
export type NodeResolver = {
  /** An IPv4 address, with `:` and a port where it is not 53. */
  server: string;
  from: string;
};

const DNS_PORT = 53;
/** It is asked twice, both within the time for which a change waits for names. */
const TRY_MS = 600;
/** What a server sends without TCP and EDNS (RFC 1035, section 4.2.1): some 28 addresses. */
const ANSWER_BYTES_MAX = 512;
/** So many that are no answers are a flood. */
const PACKETS_MAX = 8;
const ID_END = 0x1_00_00;
const UNKNOWN = ['NOERROR', 'NXDOMAIN'];

/**
 * Asks a node's resolver for the IPv4 addresses of a name; its tunnel carries no others. It asks by UDP alone, since the
 * resolver may be hostile: an answer by TCP has 64 kB, which took 0.1 s to read for each name of the node.
 *
 * @returns the addresses, or why there are none, as a part of a sentence
 */
export async function askResolver(
  host: string,
  { server, from }: NodeResolver,
): Promise<{ addresses: string[] } | { reason: string }> {
  try {
    const answer = await answerOf(host, server, from);
    if (answer === null) return { reason: `no resolver answers at ${server}` };
    const addresses = answer.answers.flatMap(({ type, data }) => (type === 'A' ? [data] : []));
    if (addresses.length > 0) return { addresses };
    if (answer.flag_tc) return { reason: `the answer of the resolver at ${server} is too long` };
    if (UNKNOWN.includes(answer.rcode)) return { reason: `the resolver at ${server} does not know it` };
    return { reason: `no resolver answers at ${server} (${answer.rcode})` };
  } catch (error) {
    return { reason: `no resolver answers at ${server} (${errorCode(error)})` };
  }
}

/** What `decode` gives, of which its types leave out some. */
type Answer = {
  rcode: string;
  flag_tc: boolean;
  questions: { name: string }[];
  answers: { type: string; data: string }[];
};

/** The answer to the question; null: none came in time. */
async function answerOf(host: string, server: string, from: string): Promise<Answer | null> {
  const [address = '', port = DNS_PORT] = server.split(':');
  const id = randomInt(ID_END);
  const question = encode({ type: 'query', id, flags: RECURSION_DESIRED, questions: [{ type: 'A', name: host }] });
  const { promise, resolve, reject } = Promise.withResolvers<Answer | null>();
  let packets = 0;
  const socket = createSocket('udp4')
    .on('error', reject)
    .on('message', (message) => {
      packets += 1;
      if (message.length <= ANSWER_BYTES_MAX && message.length > 1 && message.readUInt16BE() === id) {
        // One is read for a question, whatever it says.
        resolve(decoded(message, host));
      } else if (packets === PACKETS_MAX) {
        resolve(null);
      }
    });
  const ask = (): void => socket.send(question);
  // So that no question leaves by another way than the tunnel; once connected, it hears this server alone.
  socket.bind({ address: from }, () => socket.connect(Number(port), address, ask));
  const again = setTimeout(ask, TRY_MS);
  const tooLate = setTimeout(resolve, 2 * TRY_MS, null);
  try {
    return await promise;
  } finally {
    clearTimeout(again);
    clearTimeout(tooLate);
    socket.close();
  }
}

function decoded(message: Buffer, host: string): Answer | null {
  try {
    const answer = decode(message) as unknown as Answer;
    return answer.questions[0]?.name.toLowerCase() === host.toLowerCase() ? answer : null;
  } catch {
    return null;
  }
}
