import { createSocket, type RemoteInfo } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED } from 'dns-packet';

/** Where the gateway's questions are answered, and who may ask. */
export type ResolverPlace = {
  /** This host's own address in the tunnel. */
  address: string;
  /** The gateway's. */
  gateway: string;
};

/** Answers the gateway's questions until it is closed. */
export type NameResolver = { close(): void };

/** How this host finds the IPv4 addresses of a name. */
type LookUp = (name: string) => Promise<readonly string[]>;

const DNS_PORT = 53;
/** An answer is asked for again over time, and not kept elsewhere. */
const TTL_SECONDS = 5;
/** The system looks up few at a time; what waits longer is asked again. */
const MOST_AT_A_TIME = 32;
/** As many as an answer has room for without being cut. */
const MOST_ADDRESSES = 25;
const RCODE = { ok: 0, failed: 2, unknown: 3, unsupported: 4 };
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/i;
const HEADER_BYTES = 12;
/** The counts of a header: one question, no records. */
const ONE_QUESTION = '0001000000000000';
/** A header, a name, its type and class. */
const QUESTION_BYTES_MAX = HEADER_BYTES + 255 + 4;
const RECORD_TYPES = ['A', 'AAAA'];

/** As programs of this host do: by its hosts file, the search list and DNS servers of its network. */
const bySystem: LookUp = async (name) => {
  const all = await lookup(name, { all: true, family: 4 });
  return all.map(({ address }) => address);
};

/**
 * Answers what names the gateway asks for behind this host, at the host's address in the tunnel alone and to the gateway alone.
 * @throws what the system says when it cannot listen there
 */
export async function openResolver(
  { address, gateway }: ResolverPlace,
  lookUp: LookUp = bySystem,
  port = DNS_PORT,
): Promise<NameResolver> {
  const socket = createSocket({ type: 'udp4' });
  let asking = 0;
  const answer = async (message: Buffer, from: RemoteInfo): Promise<void> => {
    if (from.address !== gateway || asking >= MOST_AT_A_TIME) return;
    asking += 1;
    try {
      const reply = await answerOf(message, lookUp);
      if (reply !== null) socket.send(reply, from.port, from.address);
    } catch {
      // It was closed meanwhile.
    } finally {
      asking -= 1;
    }
  };
  socket.on('message', (message, from) => void answer(message, from));
  socket.bind({ port, address, exclusive: true });
  await once(socket, 'listening');
  // What cannot be sent, as while the tunnel starts again, is asked again.
  socket.on('error', () => undefined);
  return { close: () => socket.close() };
}

/** The answer to a question as it came; null: it is none. */
async function answerOf(message: Buffer, lookUp: LookUp): Promise<Buffer | null> {
  const query = decoded(message);
  const [question, ...more] = query?.questions ?? [];
  if (query?.type !== 'query' || question === undefined || more.length > 0) return null;
  const { name, type } = question;
  const { rcode, addresses } = RECORD_TYPES.includes(type)
    ? await found(name, type, lookUp)
    : { rcode: RCODE.unsupported, addresses: [] };
  return encode({
    type: 'response',
    id: query.id ?? 0,
    flags: RECURSION_DESIRED | RECURSION_AVAILABLE | rcode,
    questions: [question],
    answers: addresses.map((data) => ({ type: 'A', name, ttl: TTL_SECONDS, data })),
  });
}

/** A question as it came; null: it is none. */
function decoded(message: Buffer): ReturnType<typeof decode> | null {
  // Anyone on this host's network may say that they are the gateway, and `decode` believes what a message counts: with 196,605
  // records that are not there, it takes seconds.
  if (message.length > QUESTION_BYTES_MAX || message.toString('hex', 4, HEADER_BYTES) !== ONE_QUESTION) return null;
  try {
    return decode(message);
  } catch {
    return null;
  }
}

async function found(
  name: string,
  type: string,
  lookUp: LookUp,
): Promise<{ rcode: number; addresses: readonly string[] }> {
  if (!HOST_NAME.test(name)) return { rcode: RCODE.unknown, addresses: [] };
  try {
    const addresses = [...new Set(await lookUp(name))].slice(0, MOST_ADDRESSES);
    // The tunnel carries IPv4.
    return { rcode: RCODE.ok, addresses: type === 'A' ? addresses : [] };
  } catch (error) {
    const isUnknown = error instanceof Error && 'code' in error && error.code === 'ENOTFOUND';
    return { rcode: isUnknown ? RCODE.unknown : RCODE.failed, addresses: [] };
  }
}
