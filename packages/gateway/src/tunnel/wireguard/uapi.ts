import { connect, type Socket } from 'node:net';
import type { PeerReading } from './tunnel.ts';

/** An open conversation with a userspace WireGuard. */
export type Uapi = {
  /** All peers of the interface. @throws {Error} when it ended */
  read(): Promise<readonly PeerReading[]>;
  /** Fulfilled when WireGuard ended the conversation, which it does only by its own end. */
  closed: Promise<void>;
  close(): void;
};

const DIRECTORY = '/var/run/wireguard';
const END = '\n\n';
const ARRIVING_BYTES = 64 * 1024;

/** Where a userspace WireGuard listens. The directory is shared by all network namespaces. */
export const uapiPath = (interfaceName: string): string => `${DIRECTORY}/${interfaceName}.sock`;

/** Null when no userspace WireGuard has this interface. */
export function openUapi(interfaceName: string): Promise<Uapi | null> {
  return new Promise((resolve) => {
    const answers = createAnswers();
    const socket = connect({
      path: uapiPath(interfaceName),
      // A place of its own for what arrives: 1000 nodes would leave a third of a megabyte to be cleared away each second.
      onread: {
        buffer: Buffer.allocUnsafeSlow(ARRIVING_BYTES),
        callback: (count, bytes) => {
          answers.take(bytes.subarray(0, count));
          return true;
        },
      },
    });
    socket.once('error', () => resolve(null));
    socket.once('connect', () => resolve(converse(socket, answers)));
  });
}

function converse(socket: Socket, answers: Answers): Uapi {
  const ended = Promise.withResolvers<void>();
  // The conversation is no reason to stay alive.
  socket.unref();
  socket.on('error', () => undefined);
  socket.once('close', () => {
    answers.end();
    ended.resolve();
  });
  return {
    read() {
      if (socket.destroyed) return Promise.reject(new Error('WireGuard ended.'));
      const answer = answers.next();
      socket.write(`get=1${END}`);
      return answer;
    },
    closed: ended.promise,
    close: () => socket.destroy(),
  };
}

/** The answers of a conversation, one after the other. */
type Answers = {
  take(bytes: Uint8Array): void;
  /** @throws {Error} when the conversation ended before */
  next(): Promise<readonly PeerReading[]>;
  end(): void;
};

function createAnswers(): Answers {
  const waiting: PromiseWithResolvers<readonly PeerReading[]>[] = [];
  const readings = uapiReadings();
  // In turns: what WireGuard said the last time is compared with what it says now.
  let [now, other] = [Buffer.alloc(ARRIVING_BYTES), Buffer.alloc(ARRIVING_BYTES)];
  let length = 0;
  return {
    take(bytes) {
      if (length + bytes.length > now.length) {
        const larger = Buffer.alloc(2 * (length + bytes.length));
        now.copy(larger, 0, 0, length);
        now = larger;
      }
      // The end may have come in two parts.
      let from = Math.max(0, length - END.length);
      now.set(bytes, length);
      length += bytes.length;
      for (;;) {
        const end = now.subarray(0, length).indexOf(END, from, 'latin1');
        if (end === -1) return;
        const behind = now.subarray(end + END.length, length);
        if (other.length < now.length) other = Buffer.alloc(now.length);
        waiting.shift()?.resolve(readings.of(now.subarray(0, end)));
        // Only now: until then the one before was compared with.
        other.set(behind);
        length = behind.length;
        [now, other] = [other, now];
        from = 0;
      }
    },
    next() {
      const answer = Promise.withResolvers<readonly PeerReading[]>();
      waiting.push(answer);
      return answer.promise;
    },
    end() {
      for (const { reject } of waiting.splice(0)) reject(new Error('WireGuard ended.'));
    },
  };
}

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
