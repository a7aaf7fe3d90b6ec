import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { Readable, type Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { isPinned, keyPin } from './certificate.ts';

/** The server's certificate is not the one that the operator trusts. Nothing was sent to it. */
class PinMismatchError extends Error {
  readonly code = 'PIN_MISMATCH';
}

/**
 * Connects to servers that hold one key, no matter who signed their certificate and which name it is for. It is compared
 * before the first byte of a request leaves.
 */
class PinnedAgent extends Agent {
  readonly #pin: string;
  readonly #renewPin: (pin: string) => void;

  constructor(pin: string, renewPin: (pin: string) => void) {
    // A resumed session would not show the certificate again.
    super({ keepAlive: false, maxCachedSessions: 0 });
    this.#pin = pin;
    this.#renewPin = renewPin;
  }

  override createConnection(
    { host, port }: RequestOptions,
    ready: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    const name = host ?? '';
    const socket = connect({
      host: name,
      port: Number(port),
      servername: isIP(name) ? '' : name,
      rejectUnauthorized: false,
    });
    const failed = (error: Error) => ready(error, socket);
    socket.once('error', failed);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      if (certificate !== undefined && isPinned(certificate, this.#pin)) {
        const key = keyPin(certificate);
        if (key !== this.#pin) this.#renewPin(key);
        socket.off('error', failed);
        ready(null, socket);
      } else {
        socket.destroy(new PinMismatchError('The certificate is not the pinned one'));
      }
    });
  }
}

/**
 * A `fetch` for HTTPS that trusts exactly one key, by its SHA-256 or that of the one certificate it is shown with: 64
 * digits in upper case.
 * @param renewPin given the pin of the key, where `pin` is that of a certificate, which will not last
 */
export function pinnedFetch(
  pin: string,
  renewPin: (pin: string) => void = () => undefined,
): (request: Request) => Promise<Response> {
  const agent = new PinnedAgent(pin, renewPin);
  return async (request) => {
    const body = Buffer.from(await request.arrayBuffer());
    const headers = { ...Object.fromEntries(request.headers), 'content-length': body.length };
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      httpsRequest(request.url, { agent, method: request.method, headers, signal: request.signal })
        .once('error', reject)
        .once('response', resolve)
        .end(body);
    });
    const status = reply.statusCode ?? 0;
    const isEmpty = status === 204 || status === 304;
    if (isEmpty) reply.resume();
    const content = isEmpty ? null : (Readable.toWeb(reply) as ReadableStream<Uint8Array>);
    return new Response(content, { status, headers: headersOf(reply.rawHeaders) });
  };
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  return headers;
}
