import { connect, type Socket } from 'node:net';
import type { PeerReading } from './tunnel.ts';

/** An open conversation with a userspace WireGuard. */
export type Uapi = {
  /** All peers of the interface. @throws {Error} when it ended, or does not answer within ten seconds */
  read(): Promise<readonly PeerReading[]>;
  /** Fulfilled when WireGuard ended the conversation, which it does only by its own end. */
  closed: Promise<void>;
  close(): void;
};

const DIRECTORY = '/var/run/wireguard';
const END = '\n\n';
/** It answers at once; one that does not is stuck, and what waits for it keeps the tunnel's next change waiting. */
const ANSWER_MS = 10_000;

/** Where a userspace WireGuard listens. The directory is shared by all network namespaces. */
export const uapiPath = (interfaceName: string): string => `${DIRECTORY}/${interfaceName}.sock`;

/** Null when no userspace WireGuard has this interface. */
export function openUapi(interfaceName: string, answerMs = ANSWER_MS): Promise<Uapi | null> {
  return new Promise((resolve) => {
    const socket = connect(uapiPath(interfaceName));
    socket.once('error', () => resolve(null));
    socket.once('connect', () => resolve(converse(socket, answerMs)));
  });
}

function converse(socket: Socket, answerMs: number): Uapi {
  const ended = Promise.withResolvers<void>();
  /** Answers come in the order of the questions. */
  const waiting: PromiseWithResolvers<readonly PeerReading[]>[] = [];
  let text = '';
  // The conversation is no reason to stay alive.
  socket.unref();
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    // The end may have come in two parts.
    for (let from = text.length - chunk.length - 1; ; from = 0) {
      const end = text.indexOf(END, from);
      if (end === -1) return;
      waiting.shift()?.resolve(readUapi(text.slice(0, end)));
      text = text.slice(end + END.length);
    }
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    for (const { reject } of waiting.splice(0)) reject(new Error('WireGuard ended.'));
    ended.resolve();
  });
  return {
    read() {
      if (socket.destroyed) return Promise.reject(new Error('WireGuard ended.'));
      const answer = Promise.withResolvers<readonly PeerReading[]>();
      waiting.push(answer);
      socket.write(`get=1${END}`);
      const tooLate = setTimeout(() => socket.destroy(), answerMs);
      tooLate.unref();
      return answer.promise.finally(() => clearTimeout(tooLate));
    },
    closed: ended.promise,
    close: () => socket.destroy(),
  };
}

/** The nodes in what a WireGuard in userspace answers to `get=1`; the lines before the first one hold the private key. */
export const readUapi = (answer: string): PeerReading[] =>
  answer
    .split('\npublic_key=')
    .slice(1)
    .map((node) => ({
      publicKey: Buffer.from(node.slice(0, node.indexOf('\n')), 'hex').toString('base64'),
      endpoint: valueOf(node, 'endpoint'),
      handshakeAt: Number(valueOf(node, 'last_handshake_time_sec')) * 1000 || null,
      rx: Number(valueOf(node, 'rx_bytes')),
      tx: Number(valueOf(node, 'tx_bytes')),
    }));

/** What stands after a name on its line; null: the name is not there. */
function valueOf(node: string, name: string): string | null {
  const at = node.indexOf(`\n${name}=`);
  if (at === -1) return null;
  const start = at + name.length + 2;
  const end = node.indexOf('\n', start);
  return node.slice(start, end === -1 ? node.length : end);
}

/** The nodes in what `wg show INTERFACE dump` prints: lines of tabs, the first of which is the interface's own. */
export const readDump = (printed: string): PeerReading[] =>
  printed
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [publicKey = '', , endpoint = '', , handshake, rx, tx] = line.split('\t');
      return {
        publicKey,
        endpoint: endpoint === '(none)' ? null : endpoint,
        handshakeAt: Number(handshake) * 1000 || null,
        rx: Number(rx),
        tx: Number(tx),
      };
    });
