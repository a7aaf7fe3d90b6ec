import { type X509Certificate, createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { connect } from 'node:tls';
import { Failure } from './failure.ts';

const digitsOf = (fingerprint: string): string => fingerprint.replaceAll(':', '').toUpperCase();

/** Understands a SHA-256 fingerprint, with or without colons and a leading `SHA256:`; 64 digits in upper case. */
export function pinOf(text: string): string {
  const digits = digitsOf(text.trim().replace(/^sha-?256[:=\s]\s*/i, ''));
  if (/^[0-9A-F]{64}$/.test(digits)) return digits;
  throw new Failure(
    'usage',
    '--pin takes the SHA-256 of a certificate, 64 hexadecimal digits.',
    'The gateway prints it when it starts.',
  );
}

/** The SHA-256 of a certificate's public key, 64 digits in upper case: it stays when the certificate is renewed. */
export const keyPin = ({ publicKey }: X509Certificate): string =>
  digitsOf(
    createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex'),
  );

/** The SHA-256 of a certificate, 64 digits in upper case, as browsers and the gateway's start message show it. */
export const certificatePin = ({ fingerprint256 }: X509Certificate): string => digitsOf(fingerprint256);

/** Whether a certificate is the one that a pin stands for: the pin is that of its key, or of the certificate itself. */
export const isPinned = (certificate: X509Certificate, pin: string): boolean =>
  pin === keyPin(certificate) || pin === certificatePin(certificate);

const HANDSHAKE_MS = 10_000;

/** What a server shows of itself in a TLS handshake. */
export type ShownCertificate = {
  /** SHA-256, 64 digits in upper case. */
  fingerprint: string;
  /** SHA-256 of its public key, likewise. */
  keyPin: string;
  /** Why this machine does not trust it, as a code of Node's TLS; null: it does. */
  refused: string | null;
  validUntil: Date;
};

/** Reads the certificate of an https address. Nothing is sent to the server; an error is that of the connection. */
export function shownCertificate(url: string, signal: AbortSignal, limitMs = HANDSHAKE_MS): Promise<ShownCertificate> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      servername: isIP(host) ? '' : host,
      rejectUnauthorized: false,
      timeout: limitMs,
    });
    const interrupted = () => socket.destroy(new Error('Interrupted'));
    const end = () => signal.removeEventListener('abort', interrupted);
    signal.addEventListener('abort', interrupted, { once: true });
    socket.once('error', (error) => {
      end();
      reject(error);
    });
    socket.once('timeout', () => socket.destroy(new Error(`No answer within ${limitMs / 1000} s`)));
    socket.once('secureConnect', () => {
      end();
      const certificate = socket.getPeerX509Certificate();
      const code: unknown = socket.authorizationError;
      socket.destroy();
      if (!certificate) {
        reject(new Error('It shows no certificate'));
        return;
      }
      resolve({
        fingerprint: certificatePin(certificate),
        keyPin: keyPin(certificate),
        refused: typeof code === 'string' ? code : code instanceof Error ? code.message : null,
        validUntil: new Date(certificate.validTo),
      });
    });
  });
}

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
