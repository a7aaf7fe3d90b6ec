import { Duplex } from 'node:stream';
import { connect, createSecureContext, DEFAULT_CIPHERS } from 'node:tls';

/** What a server's first words are to a client that wants TLS 1.2 or newer. */
export type TlsAnswer = { kind: 'hello' } | { kind: 'old' } | { kind: 'alert'; words: string } | { kind: 'other' };

/** What nginx offers a backend too: no group of a finite field. */
const secureContext = createSecureContext({
  minVersion: 'TLSv1.2',
  ca: [],
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
});

/**
 * So many are kept, by the names that they ask for: each takes 0.4 ms of the event loop to make, and the token of a node with
 * 200 services can have all of their backends asked each second.
 */
const KEPT = 1000;
const kept = new Map<string | null, Promise<Buffer>>();

/** What a client says first. The same again for a name is no harm: no handshake goes on from there. */
export function clientHello(serverName: string | null): Promise<Buffer> {
  const known = kept.get(serverName);
  if (known !== undefined) return known;
  const made = makeHello(serverName);
  kept.set(serverName, made);
  made.catch(() => kept.delete(serverName));
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return made;
}

/** Made by OpenSSL; nothing is sent. */
async function makeHello(serverName: string | null): Promise<Buffer> {
  const first = Promise.withResolvers<Buffer>();
  const wire = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      first.resolve(chunk);
      done();
    },
  });
  const tls = connect({ secureContext, socket: wire, ...(serverName !== null && { servername: serverName }) });
  tls.on('error', first.reject);
  try {
    return await first.promise;
  } finally {
    tls.destroy();
  }
}

const ALERT = 21;
const HANDSHAKE = 22;
const SERVER_HELLO = 2;
const TLS_1_2 = 0x0303;
const WARNING = 1;
const CLOSE_NOTIFY = 0;
/** Those of RFC 8446, section 6.2, that a first hello is refused with. */
const ALERTS: Record<number, string> = {
  40: 'handshake failure',
  70: 'protocol version',
  80: 'internal error',
  112: 'unrecognized name',
};

/** As many bytes of a server's hello are enough to tell. */
const HELLO_BYTES = 11;

const ALERT_BYTES = 7;
/** No server has more to warn of before its hello. */
const WARNINGS_MAX = 3;

/**
 * Reads what a server answered, from its first bytes: a record's type, version and length, then an alert's level and
 * number, or a message's type, length and version.
 * @returns null: more bytes are to come
 */
export function readAnswer(bytes: Buffer, warnings = 0): TlsAnswer | null {
  const [type, major] = bytes;
  if (type === undefined) return null;
  if ((type !== ALERT && type !== HANDSHAKE) || (major !== undefined && major !== 3)) return { kind: 'other' };
  if (warnings > WARNINGS_MAX) return { kind: 'other' };
  if (bytes.length < (type === ALERT ? ALERT_BYTES : HELLO_BYTES)) return null;
  if (type === ALERT) {
    const number = bytes.readUInt8(6);
    // As when the name is none that the server knows: the handshake goes on.
    if (bytes[5] === WARNING && number !== CLOSE_NOTIFY) return readAnswer(bytes.subarray(ALERT_BYTES), warnings + 1);
    return { kind: 'alert', words: ALERTS[number] ?? `alert ${number}` };
  }
  if (bytes[5] !== SERVER_HELLO) return { kind: 'other' };
  return { kind: bytes.readUInt16BE(9) < TLS_1_2 ? 'old' : 'hello' };
}
