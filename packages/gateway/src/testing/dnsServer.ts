import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const CODES = { 'no error': 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const HEADER_BYTES = 12;
/** Where the question begins: every answer says that it is about its name, which no reader here looks at. */
const NAME_OF_QUESTION = 0xc0_0c;
const RESPONSE_FLAGS = 0x81_80;
const CUT = 0x02_00;
const TTL_S = 60;

/** What a name server says about a name: addresses, the name that it stands for, or no more than a code. */
export type DnsRecords = {
  addresses?: readonly string[];
  /** Dots separate labels, which may have any other characters. */
  cname?: string;
  code?: keyof typeof CODES;
  /** The answer is longer than it is. */
  cut?: boolean;
};

/** A name server on loopback (RFC 1035), of which a test knows every answer. */
export type DnsServer = {
  /** `ADDRESS:PORT`. */
  address: string;
  /** What was asked: `A app.example.test`. */
  asked: string[];
  close(): Promise<void>;
};

/** @param records null: it gives no answer at all */
export async function startDnsServer(
  records: (name: string) => DnsRecords | null,
  port = 0,
  host = '127.0.0.1',
): Promise<DnsServer> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const asked: string[] = [];
  socket.on('message', (query, { port: from, address }) => {
    const { name, type, end } = questionOf(query);
    asked.push(`${Object.entries(TYPES).find(([, number]) => number === type)?.[0] ?? type} ${name}`);
    const found = records(name.toLowerCase());
    if (found === null) return;
    const answers = answersOf(found, records, type);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(RESPONSE_FLAGS | (found.cut === true ? CUT : 0) | CODES[found.code ?? 'no error'], 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers]), from, address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  return {
    address: `${isIPv6(host) ? `[${host}]` : host}:${socket.address().port}`,
    asked,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** So many names follow each other in an answer. */
const CHAIN_MAX = 10;

/** What a resolver answers: the names that a name stands for come with the addresses. */
function answersOf(found: DnsRecords, records: (name: string) => DnsRecords | null, type: number): Buffer[] {
  const chain: Buffer[] = [];
  const addresses = [...(found.addresses ?? [])];
  let { cname } = found;
  while (cname !== undefined && chain.length < CHAIN_MAX) {
    chain.push(answer(TYPES.CNAME, nameOf(cname)));
    const next = records(cname) ?? {};
    addresses.push(...(next.addresses ?? []));
    ({ cname } = next);
  }
  const ofType = addresses
    .filter((address) => type === (isIPv6(address) ? TYPES.AAAA : TYPES.A))
    .map((address) => answer(type, Buffer.from(ipaddr.parse(address).toByteArray())));
  return [...chain, ...ofType];
}

const nameOf = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')])),
    Buffer.of(0),
  ]);

function answer(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(NAME_OF_QUESTION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(TTL_S, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
