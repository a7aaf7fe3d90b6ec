import type { PeerReading } from './tunnel.ts';

/** Reads what WireGuard answers, each time about the same nodes, most of which have not moved since. */
export type PeerReadings = {
  /**
   * The nodes of one answer, in its order. A node about which it says the same as the answer before is the same object.
   * The bytes must stay as they are until the next answer was read.
   */
  of(answer: Buffer): readonly PeerReading[];
};

/** How an answer is written. */
type Form = {
  /** Stands before the first node and between two. */
  before: string;
  /** Stands behind the last one; null: nothing does. */
  after: string | null;
  /** How many letters, from the start of a node on, are its key. */
  keyLength: number;
  /** Null: what begins there is none. */
  read(text: string): PeerReading | null;
};

/** What was said of a node, as a place in the answer that said it. */
type Said = { answer: Buffer; start: number; end: number; reading: PeerReading };

const HEX_KEY_LENGTH = 64;
const BASE64_KEY_LENGTH = 44;

/** What a WireGuard in userspace answers to `get=1`: the private key in its first lines is not looked at. */
export const uapiReadings = (): PeerReadings =>
  createPeerReadings({ before: '\npublic_key=', after: '\nerrno=', keyLength: HEX_KEY_LENGTH, read: readBlock });

/** What `wg show INTERFACE dump` prints: lines of tabs, the first of which is the interface's own. */
export const dumpReadings = (): PeerReadings =>
  createPeerReadings({ before: '\n', after: null, keyLength: BASE64_KEY_LENGTH, read: readLine });

/** A thousand nodes are read each second: what is equal is compared as bytes, and never becomes text. */
function createPeerReadings({ before, after, keyLength, read }: Form): PeerReadings {
  const separator = Buffer.from(before, 'latin1');
  let known = new Map<string, Said>();
  return {
    of(answer) {
      const readings: PeerReading[] = [];
      const behind = after === null ? -1 : answer.lastIndexOf(after, undefined, 'latin1');
      const last = behind === -1 ? answer.length : behind;
      let found = answer.indexOf(separator);
      while (found !== -1) {
        const start = found + separator.length;
        found = answer.indexOf(separator, start);
        const end = found === -1 ? last : found;
        const key = answer.toString('latin1', start, Math.min(start + keyLength, end));
        const said = known.get(key);
        if (said !== undefined && isEqual(said, answer, start, end)) {
          said.answer = answer;
          said.start = start;
          said.end = end;
          readings.push(said.reading);
          continue;
        }
        const reading = read(answer.toString('latin1', start, end));
        if (reading === null) continue;
        known.set(key, { answer, start, end, reading });
        readings.push(reading);
      }
      if (known.size > readings.length) {
        known = new Map([...known].filter(([, said]) => said.answer === answer));
      }
      return readings;
    },
  };
}

const isEqual = (said: Said, answer: Buffer, start: number, end: number): boolean =>
  said.end - said.start === end - start && said.answer.compare(answer, start, end, said.start, said.end) === 0;

function readBlock(text: string): PeerReading {
  return {
    publicKey: Buffer.from(text.slice(0, HEX_KEY_LENGTH), 'hex').toString('base64'),
    endpoint: valueOf(text, '\nendpoint='),
    handshakeAt: Number(valueOf(text, '\nlast_handshake_time_sec=')) * 1000 || null,
    rx: Number(valueOf(text, '\nrx_bytes=')),
    tx: Number(valueOf(text, '\ntx_bytes=')),
  };
}

/** What stands behind a name on its line; null: the name is not there. */
function valueOf(text: string, name: string): string | null {
  const at = text.indexOf(name);
  if (at === -1) return null;
  const end = text.indexOf('\n', at + name.length);
  return text.slice(at + name.length, end === -1 ? text.length : end);
}

function readLine(text: string): PeerReading | null {
  const [publicKey, , endpoint = '', , handshake, rx, tx] = text.split('\t');
  if (publicKey === undefined || tx === undefined) return null;
  return {
    publicKey,
    endpoint: endpoint === '(none)' ? null : endpoint,
    handshakeAt: Number(handshake) * 1000 || null,
    rx: Number(rx),
    tx: Number(tx),
  };
}
