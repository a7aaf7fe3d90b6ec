import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { certificateFile, PORTS, type ReconcileTrial } from './reconcileTrial.ts';

type Where = { address?: string; port?: number; localAddress?: string };
/** @param localAddress where the connection comes from */
type Way = { port?: number; localAddress?: string };

/** A connection to nginx on which a test writes what no client of Node would. */
export async function openSocket(
  trial: ReconcileTrial,
  host: string,
  { address = '127.0.0.1', port = PORTS.https, localAddress }: Where = {},
): Promise<TLSSocket> {
  const ca = readFileSync(certificateFile(trial, host, port));
  const connection = connectTcp({ host: address, port, ...(localAddress !== undefined && { localAddress }) });
  const socket = connect({ socket: connection, servername: host, ca });
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends lines as they are, and reads until nginx closes; `Connection: close` is added. */
export async function rawRequest(trial: ReconcileTrial, host: string, lines: readonly string[]): Promise<string> {
  const socket = await openSocket(trial, host);
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  return text(socket);
}

/** An HTTP/2 connection to nginx. */
export async function openHttp2(
  trial: ReconcileTrial,
  host: string,
  { port = PORTS.https, localAddress = '127.0.0.1', before }: Way & { before?: () => Promise<unknown> } = {},
): Promise<ClientHttp2Session> {
  const ca = readFileSync(certificateFile(trial, host, port));
  const socket = connectTcp({ host: '127.0.0.1', localAddress, port });
  await once(socket, 'connect');
  await before?.();
  const session = connectHttp2(`https://${host}:${port}`, {
    createConnection: () => connect({ socket, servername: host, ca, ALPNProtocols: ['h2'] }),
  });
  await once(session, 'remoteSettings');
  return session;
}

/**
 * The answer to a GET over HTTP/2 with a header that no client of Node would send, as it comes, up to `end`. No word is
 * longer than 126 bytes.
 */
export async function rawHttp2(
  trial: ReconcileTrial,
  host: string,
  [name, value]: readonly [string, string],
  end: string,
): Promise<string> {
  const ca = readFileSync(certificateFile(trial, host, PORTS.https));
  const socket = connect({ host: '127.0.0.1', port: PORTS.https, servername: host, ca, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const frame = (type: number, flags: number, stream: number, body: Buffer): Buffer =>
    Buffer.concat([Buffer.from([0, 0, body.length, type, flags, 0, 0, 0, stream]), body]);
  const literal = (word: string): Buffer => Buffer.concat([Buffer.from([word.length]), Buffer.from(word)]);
  // GET, https, `/` and `:authority` by their numbers in RFC 7541's table, then one header that is not in it.
  const indexed = Buffer.from([0x82, 0x87, 0x84, 0x01]);
  const headers = Buffer.concat([indexed, literal(host), Buffer.from([0]), literal(name), literal(value)]);
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0))]));
  socket.write(frame(1, 5, 1, headers));
  let answer = '';
  for await (const chunk of socket) {
    answer += String(chunk);
    if (answer.includes(end)) break;
  }
  return answer;
}

/** The moment at which a connection ends. A reset is an end, too, which `once` would take for a failure. */
export function endOf(socket: Duplex): Promise<number> {
  socket.on('error', () => undefined);
  return new Promise((done) => void socket.on('close', () => done(Date.now())));
}

/** Answers, as a backend, that a connection is a WebSocket from now on. */
export function acceptUpgrade(socket: Duplex, more = ''): void {
  socket.on('error', () => undefined);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n${more}\r\n`);
}

/** A backend that sends back what it gets over a WebSocket. */
export function echoUpgrade(_request: unknown, socket: Duplex): void {
  acceptUpgrade(socket);
  socket.pipe(socket);
}

/** A WebSocket that a backend has accepted; with `before` between connecting and asking. */
export async function openWebSocket(
  trial: ReconcileTrial,
  host: string,
  { path = '/', headers = [] as string[], before = (): Promise<unknown> => Promise.resolve() } = {},
) {
  const socket = await openSocket(trial, host);
  await before();
  const ended = endOf(socket);
  const say = async (words: string): Promise<string> => {
    socket.write(words);
    return String((await once(socket, 'data'))[0]);
  };
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Upgrade: websocket', 'Connection: keep-alive, Upgrade'];
  const head = await say([...lines, ...headers, '', ''].join('\r\n'));
  if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(`not a WebSocket: ${head}`);
  return { socket, head, say, ended };
}
