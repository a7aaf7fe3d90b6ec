import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';

/** A door of the gateway: its own listener, or one of nginx's ports. */
export type Door = { what: string; port: number; host: string; path: string; headers: string; tls: boolean };

/** A connection that says whatever it is told to. */
export type RawSocket = {
  socket: Socket;
  /** What came back so far. */
  answer(): string;
  /** Fulfilled when the system has taken all of it, or the connection has ended. */
  sent: Promise<void>;
  /** The first answer's status; 0 when the connection ended without one. */
  ended: Promise<number>;
  close(): void;
};

/** One for all: to make it takes longer than to shake hands. */
const secureContext = createSecureContext();
const statusOf = (answer: string): number => Number(/^HTTP\/1\.\d (\d{3})/.exec(answer)?.[1] ?? 0);

/** Opens a connection and sends `text`. */
export function openRaw({ port, host, tls }: Door, text: string): RawSocket {
  const to = { host: '127.0.0.1', port };
  const socket = tls
    ? connectTls({ ...to, servername: host, rejectUnauthorized: false, secureContext, ALPNProtocols: ['http/1.1'] })
    : connectPlain(to);
  let answer = '';
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  const { promise: sent, resolve: wasSent } = Promise.withResolvers<void>();
  socket.on('data', (chunk: Buffer) => {
    if (answer.length < 4096) answer += chunk.toString('latin1');
  });
  // To be cut off is an answer, too.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    wasSent();
    resolve(statusOf(answer));
  });
  socket.write(text, () => wasSent());
  return { socket, answer: () => answer, sent, ended, close: () => void socket.destroy() };
}

/** The beginning of a request, all of it but the empty line. */
export const headOf = ({ host, port, path, headers }: Door, method: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAccept: */*\r\n${headers}`;
