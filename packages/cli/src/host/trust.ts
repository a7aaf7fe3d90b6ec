import { isApiError } from '@sallyport/sdk';
import { type Context, Failure, isUntrusted, pinOf } from '../context.ts';
import { shownCertificate } from '../certificate.ts';

/**
 * Makes sure that what answers at `url` is a gateway, and one that is trusted, before anybody is asked for a secret.
 *
 * A certificate that nobody whom this machine trusts has signed is shown by its fingerprint and trusted when somebody at the terminal
 * says so; scripts say it with `--pin`. `before` is the pin that was kept for this very address.
 *
 * @returns the pin of the one key to trust from now on, or null where certificates are verified as usual.
 */
export async function trustedPin(
  context: Context,
  { url, pin, before }: { url: string; pin?: string | undefined; before: string | null },
): Promise<string | null> {
  const kept = pin === undefined ? before : pinOf(pin);
  let trusted = kept;
  const refused = await answerOf(context, url, kept, (renewed) => (trusted = renewed));
  if (refused === null) return trusted;
  if (kept !== null || !isUntrusted(refused)) throw refused;
  const found = await shownCertificate(url, context.signal).then(
    (certificate) => certificate,
    () => {
      throw refused;
    },
  );
  const shown = found.fingerprint.match(/../g)?.join(':') ?? found.fingerprint;
  if (!context.io.canAsk) {
    throw new Failure(
      'unreachable',
      `The certificate of ${url} is not signed by an authority that this machine trusts. Its SHA-256 fingerprint is ${shown}.`,
      'If the gateway printed the same when it started, run the command again with --pin and the fingerprint.',
      { cause: refused },
    );
  }
  context.io.say(
    `The certificate of ${url} is not signed by an authority that this machine trusts. Its SHA-256 fingerprint is`,
    `  ${shown}`,
    'The gateway prints its own when it starts: compare the two.',
  );
  if (!(await context.io.confirm('Trust this certificate from now on?'))) {
    throw new Failure('unreachable', 'The certificate was not trusted.', 'Nothing was sent and nothing was kept.');
  }
  // It may have changed while somebody was reading.
  const again = await answerOf(context, url, found.keyPin);
  if (again !== null) throw again;
  return found.keyPin;
}

/** How long an address may take to say who is there. */
const CONTACT_MAX_MS = 10_000;

/** Asks who is there, without a token. Null: a gateway, which says that it wants one; else why it cannot be used. */
async function answerOf(
  context: Context,
  url: string,
  pin: string | null,
  renewPin: (pin: string) => void = () => undefined,
): Promise<Error | null> {
  const client = await context.connect({ url, pin, renewPin });
  try {
    await client.session.me({}, { signal: context.signal, timeoutMs: CONTACT_MAX_MS });
    return null;
  } catch (error) {
    if (isApiError(error, 'unauthorized') || isApiError(error, 'throttled') || isApiError(error, 'server')) return null;
    if (!isApiError(error, 'missing')) return error instanceof Error ? error : new Error(String(error));
    return new Failure('unreachable', `What answers at ${url} is not a Sallyport gateway.`, 'Check the address.', {
      cause: error,
    });
  }
}
