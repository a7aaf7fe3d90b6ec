import { connect, type Socket } from 'node:net';
import { uapiReadings } from './peerReadings.ts';
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
