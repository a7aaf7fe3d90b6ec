import { connect, type Socket } from 'node:net';
import type { PeerReading } from './tunnel.ts';

/** An open conversation with a userspace WireGuard. */
export type Uapi = {
  /** All peers of the interface. @throws {Error} when it ended */
  read(): Promise<PeerReading[]>;
  /** Fulfilled when WireGuard ended the conversation, which it does only by its own end. */
  closed: Promise<void>;
  close(): void;
};

const DIRECTORY = '/var/run/wireguard';
const END = '\n\n';

/** Where a userspace WireGuard listens. The directory is shared by all network namespaces. */
export const uapiPath = (interfaceName: string): string => `${DIRECTORY}/${interfaceName}.sock`;

/** Null when no userspace WireGuard has this interface. */
export function openUapi(interfaceName: string): Promise<Uapi | null> {
  return new Promise((resolve) => {
    const socket = connect(uapiPath(interfaceName));
    socket.once('error', () => resolve(null));
    socket.once('connect', () => resolve(converse(socket)));
  });
}

function converse(socket: Socket): Uapi {
  const waiting: PromiseWithResolvers<PeerReading[]>[] = [];
  const ended = Promise.withResolvers<void>();
  let text = '';
  socket.setEncoding('latin1');
  // The conversation is no reason to stay alive.
  socket.unref();
  socket.on('error', () => undefined);
  socket.on('data', (chunk: string) => {
    text += chunk;
    while (text.endsWith(END)) {
      const end = text.indexOf(END);
      waiting.shift()?.resolve(readPeers(text.slice(0, end)));
      text = text.slice(end + END.length);
    }
  });
  socket.once('close', () => {
    for (const { reject } of waiting.splice(0)) reject(new Error('WireGuard ended.'));
    ended.resolve();
  });
  return {
    read() {
      const answer = Promise.withResolvers<PeerReading[]>();
      if (socket.destroyed) answer.reject(new Error('WireGuard ended.'));
      else {
        waiting.push(answer);
        socket.write(`get=1${END}`);
      }
      return answer.promise;
    },
    closed: ended.promise,
    close: () => socket.destroy(),
  };
}

/** The same few keys come again each second. */
const spelled = new Map<string, string>();
const SPELLED_MAX = 10_000;

function asBase64(hex: string): string {
  const known = spelled.get(hex);
  if (known !== undefined) return known;
  if (spelled.size >= SPELLED_MAX) spelled.clear();
  const base64 = Buffer.from(hex, 'hex').toString('base64');
  spelled.set(hex, base64);
  return base64;
}

/** Reads what WireGuard answers to `get=1`: the private key in its first lines is not looked at. */
export function readPeers(text: string): PeerReading[] {
  const peers: PeerReading[] = [];
  let peer: PeerReading | null = null;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end === -1 ? text.length : end);
    at = end === -1 ? text.length : end + 1;
    const equals = line.indexOf('=');
    const key = line.slice(0, equals);
    if (key === 'public_key') {
      peer = { publicKey: asBase64(line.slice(equals + 1)), endpoint: null, handshakeAt: null, rx: 0, tx: 0 };
      peers.push(peer);
    } else if (peer === null) continue;
    else if (key === 'endpoint') peer.endpoint = line.slice(equals + 1);
    else if (key === 'rx_bytes') peer.rx = Number(line.slice(equals + 1));
    else if (key === 'tx_bytes') peer.tx = Number(line.slice(equals + 1));
    else if (key === 'last_handshake_time_sec') peer.handshakeAt = Number(line.slice(equals + 1)) * 1000 || null;
  }
  return peers;
}
