import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** The server's certificate is not the one that the operator trusts. Nothing was sent to it. */
class PinMismatchError extends Error {
  readonly code = 'PIN_MISMATCH';
}

/**
 * Connects to servers that show one certificate, whoever signed it and whatever name it is for. It is compared before
 * the first byte of a request leaves.
 */
class PinnedAgent extends Agent {
  readonly #pin: string;

  constructor(pin: string) {
    // A resumed session would not show the certificate again.
    super({ keepAlive: false, maxCachedSessions: 0 });
    this.#pin = pin;
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
      if (socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '') === this.#pin) {
        socket.off('error', failed);
        ready(null, socket);
      } else {
        socket.destroy(new PinMismatchError('The certificate is not the pinned one'));
      }
    });
  }
}

/** A `fetch` for HTTPS that trusts exactly the certificate with this SHA-256, 64 digits in upper case. */
export function pinnedFetch(pin: string): (request: Request) => Promise<Response> {
  const agent = new PinnedAgent(pin);
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
