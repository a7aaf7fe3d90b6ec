import { connect } from 'node:tls';
import { isIP } from 'node:net';
import { isApiError } from '@sallyport/sdk';
import { type Context, Failure, isUntrusted, pinOf } from '../context.ts';

const HANDSHAKE_MS = 10_000;

/**
 * Makes sure that what answers at `url` is a gateway, and one that is trusted, before anybody is asked for a secret.
 *
 * A certificate that nobody whom this machine trusts has signed is shown by its fingerprint and trusted when somebody at the terminal
 * says so; scripts say it with `--pin`. `before` is the pin that was kept for this very address.
 *
 * @returns the fingerprint of the one certificate to trust from now on, or null where certificates are verified as usual.
 */
export async function trustedPin(
  context: Context,
  { url, pin, before }: { url: string; pin?: string | undefined; before: string | null },
): Promise<string | null> {
  const kept = pin === undefined ? before : pinOf(pin);
  const refused = await answerOf(context, url, kept);
  if (refused === null) return kept;
  if (kept !== null || !isUntrusted(refused)) throw refused;
  const found = await fingerprintOf(url, context.signal).catch(() => {
    throw refused;
  });
  const shown = found.match(/../g)?.join(':') ?? found;
  if (!context.io.canAsk) {
    throw new Failure(
      'unreachable',
      `The certificate of ${url} is not signed by anybody this machine trusts. Its SHA-256 fingerprint is ${shown}.`,
      'If the gateway printed the same when it started, run the command again with --pin and the fingerprint.',
      { cause: refused },
    );
  }
  context.io.say(
    `The certificate of ${url} is not signed by anybody this machine trusts. Its SHA-256 fingerprint is\n  ${shown}\nThe gateway prints its own when it starts: compare the two.`,
  );
  if (!(await context.io.confirm('Trust this certificate from now on?'))) {
    throw new Failure('unreachable', 'The certificate was not trusted.', 'Nothing was sent and nothing was kept.');
  }
  // It may have changed while somebody was reading.
  const again = await answerOf(context, url, found);
  if (again !== null) throw again;
  return found;
}

/** Asks who is there, without a token. Null: a gateway, which says that it wants one; else why it cannot be used. */
async function answerOf(context: Context, url: string, pin: string | null): Promise<Error | null> {
  const client = await context.connect({ url, pin });
  try {
    await client.session.me({}, { signal: context.signal });
    return null;
  } catch (error) {
    if (isApiError(error, 'unauthorized') || isApiError(error, 'throttled') || isApiError(error, 'server')) return null;
    if (!isApiError(error, 'missing')) return error instanceof Error ? error : new Error(String(error));
    return new Failure('unreachable', `What answers at ${url} is not a Sallyport gateway.`, 'Check the address.', {
      cause: error,
    });
  }
}

/** The SHA-256 of the certificate that a server shows, 64 digits in upper case. Nothing is sent to it. */
function fingerprintOf(url: string, signal: AbortSignal): Promise<string> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      servername: isIP(host) ? '' : host,
      rejectUnauthorized: false,
      timeout: HANDSHAKE_MS,
    });
    const end = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const interrupted = () => end(new Failure('interrupted', 'Interrupted.'));
    signal.addEventListener('abort', interrupted, { once: true });
    socket.once('error', end);
    socket.once('timeout', () => end(new Failure('unreachable', `${url} does not answer.`, 'Check the address.')));
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', interrupted);
      const fingerprint = socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '') ?? '';
      socket.destroy();
      resolve(fingerprint);
    });
  });
}
