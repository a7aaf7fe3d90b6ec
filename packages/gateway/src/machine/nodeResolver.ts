import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
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
    const { addresses, isCut, code } = answer;
    if (addresses.length > 0) return { addresses };
    if (isCut) return { reason: `the answer of the resolver at ${server} is too long` };
    if (code === RCODE.ok || code === RCODE.unknown) return { reason: `the resolver at ${server} does not know it` };
    return { reason: `no resolver answers at ${server} (${code === RCODE.failed ? 'SERVFAIL' : `RCODE ${code}`})` };
  } catch (error) {
    return { reason: `no resolver answers at ${server} (${errorCode(error)})` };
  }
}

/** The answer to the question; null: none came in time. */
async function answerOf(host: string, server: string, from: string): Promise<Answer | null> {
  const [address = '', port = DNS_PORT] = server.split(':');
  const query = queryOf(host);
  const { promise, resolve, reject } = Promise.withResolvers<Answer | null>();
  let packets = 0;
  const socket = createSocket('udp4')
    .on('error', reject)
    .on('message', (message) => {
      packets += 1;
      if (message.length <= ANSWER_BYTES_MAX && message.length > 1 && message.readUInt16BE() === query.readUInt16BE()) {
        // One is read for a question, whatever it says.
        resolve(answerIn(message, query));
      } else if (packets === PACKETS_MAX) {
        resolve(null);
      }
    });
  const ask = (): void => socket.send(query);
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

// The parts of a message (RFC 1035, section 4.1) that are needed here. A library reads all of it, and believes what it counts: with
// dns-packet, an answer of 512 bytes kept the event loop for seconds.
const HEADER_BYTES = 12;
const [RECURSION_DESIRED, RESPONSE, CUT, RCODE_BITS] = [0x01_00, 0x80_00, 0x02_00, 0x0f];
const RCODE = { ok: 0, failed: 2, unknown: 3 };
/** Type A, class IN. */
const A_IN = [0, 1, 0, 1];
const A_BYTES = 4;
/** Type, class and time to live of a record, and the length of what follows. */
const RECORD_BYTES = 10;
const LABEL_BYTES_MAX = 63;
const POINTER = 0xc0;

/** A question for the addresses of a name. @throws {RangeError} when it cannot be one */
function queryOf(host: string): Buffer {
  const labels = host.split('.').filter((label) => label !== '');
  if (labels.some((label) => label.length > LABEL_BYTES_MAX)) throw new RangeError('A label is too long.');
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, word] of [randomInt(ID_END), RECURSION_DESIRED, 1].entries())
    header.writeUInt16BE(word, index * 2);
  const name = labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label, 'latin1')]);
  return Buffer.concat([header, ...name, Buffer.of(0, ...A_IN)]);
}

type Answer = { addresses: string[]; isCut: boolean; code: number };

/** What a message answers to the question; null: it is no answer to it. */
function answerIn(message: Buffer, query: Buffer): Answer | null {
  const question = (of: Buffer): string => of.toString('latin1', HEADER_BYTES, query.length).toLowerCase();
  if (message.length < query.length || question(message) !== question(query)) return null;
  const flags = message.readUInt16BE(2);
  if ((flags & RESPONSE) === 0 || message.readUInt16BE(4) !== 1) return null;
  return { addresses: addressesIn(message, query.length), isCut: (flags & CUT) !== 0, code: flags & RCODE_BITS };
}

/** The addresses of the records from here on, as far as there are whole ones. */
function addressesIn(message: Buffer, from: number): string[] {
  const addresses: string[] = [];
  let left = message.readUInt16BE(6);
  for (let at = from; left > 0; left -= 1) {
    at = afterName(message, at);
    const data = at + RECORD_BYTES;
    if (data > message.length) break;
    const end = data + message.readUInt16BE(data - 2);
    if (end > message.length) break;
    const isAddress = A_IN.every((byte, index) => message[at + index] === byte) && end - data === A_BYTES;
    if (isAddress) addresses.push(message.subarray(data, end).join('.'));
    at = end;
  }
  return addresses;
}

/** Where a name ends that begins here: nothing is read of it. */
function afterName(message: Buffer, from: number): number {
  let at = from;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    if (length >= POINTER) return at + 2;
    at += length + 1;
  }
  return at + 1;
}
