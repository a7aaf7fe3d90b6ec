import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIP, isIPv6, SocketAddress } from 'node:net';

// The parts of a message (RFC 1035, section 4.1) that are needed here. The owner of the name or the server writes it, and a
// library reads all of it, and believes what it counts: with dns-packet, an answer of 512 bytes kept the event loop for
// seconds, and c-ares, which asks again by TCP, took 0.06 s for each answer of 64 kB.

/** Numbers of types, and how many bytes an address of each has (RFC 1035, section 3.2.2, and RFC 3596). */
const TYPES = { A: { number: 1, bytes: 4 }, AAAA: { number: 28, bytes: 16 } } as const;
const CNAME = 5;
const IN = 1;
/** Codes of answers (RFC 1035, section 4.1.1). */
export const RCODE = { ok: 0, malformed: 1, failed: 2, unknown: 3, unsupported: 4, refused: 5 } as const;

const DNS_PORT = 53;
/** What a server sends without TCP and EDNS (RFC 1035, section 4.2.1): some 28 addresses. */
const ANSWER_BYTES_MAX = 512;
/** So many that are no answers are a flood. */
const PACKETS_MAX = 8;
const ID_END = 0x1_00_00;
const HEADER_BYTES = 12;
const [RECURSION_DESIRED, RESPONSE, CUT, RCODE_BITS] = [0x01_00, 0x80_00, 0x02_00, 0x0f];
/** Type, class and time to live of a record, and the length of what follows. */
const RECORD_BYTES = 10;
const LABEL_BYTES_MAX = 63;
const NAME_CHARS_MAX = 253;
const POINTER = 0xc0;

/** A question by UDP for the addresses of a name. */
export type DnsQuestion = {
  host: string;
  type: keyof typeof TYPES;
  /** An address, with `:` and a port where it is not 53; one of IPv6 stands in brackets then. */
  server: string;
  /** The address of this machine that asks; left out: any. */
  from?: string;
  /** How often it is asked, and how long an answer is awaited each time, in milliseconds. */
  tries: number;
  tryMs: number;
  /** Ends the wait. */
  signal?: AbortSignal;
};

/** What a DNS server answers. */
export type DnsReply = {
  /** As many as fit into 512 bytes. */
  addresses: string[];
  /** The names that it stands for, one after the other, in printable ASCII. */
  aliases: string[];
  /** The answer is longer than what came. */
  isCut: boolean;
  /** One of `RCODE`, or another number below 16. */
  code: number;
};

/**
 * Asks a DNS server by UDP alone, and reads no more than 512 bytes of what it says.
 *
 * @returns null: no answer came in time
 * @throws the system's error when the server cannot be asked, {RangeError} when it is no name that can be asked for
 */
export async function askDns({
  host,
  type,
  server,
  from,
  tries,
  tryMs,
  signal,
}: DnsQuestion): Promise<DnsReply | null> {
  const query = queryOf(host, TYPES[type].number);
  const { address, port } = placeOf(server);
  const { promise, resolve, reject } = Promise.withResolvers<DnsReply | null>();
  let packets = 0;
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    .on('error', reject)
    .on('message', (message) => {
      packets += 1;
      if (message.length <= ANSWER_BYTES_MAX && message.length > 1 && message.readUInt16BE() === query.readUInt16BE()) {
        // One is read for a question, whatever it says.
        resolve(replyIn(message, query, type));
      } else if (packets === PACKETS_MAX) {
        resolve(null);
      }
    });
  const ask = (): void => socket.send(query);
  // So that no question leaves by another way than the one that is meant; once connected, it hears this server alone.
  socket.bind(from === undefined ? {} : { address: from }, () => socket.connect(port, address, ask));
  const again = Array.from({ length: tries - 1 }, (_, index) => setTimeout(ask, (index + 1) * tryMs));
  const tooLate = setTimeout(resolve, tries * tryMs, null);
  const abort = (): void => resolve(null);
  signal?.addEventListener('abort', abort);
  try {
    return signal?.aborted === true ? null : await promise;
  } finally {
    for (const timer of [...again, tooLate]) clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    socket.close();
  }
}

function placeOf(server: string): { address: string; port: number } {
  if (isIP(server) !== 0) return { address: server, port: DNS_PORT };
  const end = server.lastIndexOf(':');
  return { address: server.slice(0, end).replaceAll(/[[\]]/g, ''), port: Number(server.slice(end + 1)) };
}

/** A question for the addresses of a name. @throws {RangeError} when it cannot be one */
function queryOf(host: string, type: number): Buffer {
  const labels = host.split('.').filter((label) => label !== '');
  if (labels.some((label) => label.length > LABEL_BYTES_MAX)) throw new RangeError('A label is too long.');
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, word] of [randomInt(ID_END), RECURSION_DESIRED, 1].entries())
    header.writeUInt16BE(word, index * 2);
  const name = labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label, 'latin1')]);
  return Buffer.concat([header, ...name, Buffer.of(0, 0, type, 0, IN)]);
}

/** What a message answers to the question; null: it is no answer to it. */
function replyIn(message: Buffer, query: Buffer, type: DnsQuestion['type']): DnsReply | null {
  const question = (of: Buffer): string => of.toString('latin1', HEADER_BYTES, query.length).toLowerCase();
  if (message.length < query.length || question(message) !== question(query)) return null;
  const flags = message.readUInt16BE(2);
  if ((flags & RESPONSE) === 0 || message.readUInt16BE(4) !== 1) return null;
  const records = recordsIn(message, query.length);
  const { number, bytes } = TYPES[type];
  return {
    addresses: records
      .filter((record) => record.type === number && record.end - record.at === bytes)
      .map(({ at, end }) => addressOf(message.subarray(at, end))),
    aliases: records.filter((record) => record.type === CNAME).map(({ at }) => nameAt(message, at)),
    isCut: (flags & CUT) !== 0,
    code: flags & RCODE_BITS,
  };
}

function addressOf(bytes: Buffer): string {
  if (bytes.length === TYPES.A.bytes) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/** The records of the answer that begin here, as far as there are whole ones: what each is, and where its data is. */
function recordsIn(message: Buffer, from: number): { type: number; at: number; end: number }[] {
  const records = [];
  let left = message.readUInt16BE(6);
  for (let next = from; left > 0; left -= 1) {
    const head = afterName(message, next);
    const at = head + RECORD_BYTES;
    if (at > message.length) break;
    const end = at + message.readUInt16BE(at - 2);
    if (end > message.length) break;
    if (message.readUInt16BE(head + 2) === IN) records.push({ type: message.readUInt16BE(head), at, end });
    next = end;
  }
  return records;
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

/** A name, of which a part may stand further ahead in the message; what cannot be printed is `?`. */
function nameAt(message: Buffer, from: number): string {
  let name = '';
  let at = from;
  let ahead = from;
  for (let length = message[at] ?? 0; length > 0 && name.length < NAME_CHARS_MAX; length = message[at] ?? 0) {
    if (length >= POINTER) {
      at = ((length & ~POINTER) << 8) | (message[at + 1] ?? 0);
      // Each leads further ahead than the one before, so that they come to an end.
      if (at >= ahead) break;
      ahead = at;
    } else {
      name += `${name === '' ? '' : '.'}${message.toString('latin1', at + 1, at + 1 + length)}`;
      at += length + 1;
    }
  }
  return name.slice(0, NAME_CHARS_MAX).replaceAll(/[^\u0021-\u007e]/g, '?');
}
