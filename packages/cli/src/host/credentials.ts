import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApiError, isApiError } from '@sallyport/sdk';
import { isLoopbackHost } from '@sallyport/sdk/rules';
import * as z from 'zod/mini';
import { pinOf, shownCertificate } from '../certificatePin.ts';
import type { Context } from '../context.ts';
import { Failure, isUntrusted } from '../failure.ts';
import { Secret } from '../io.ts';
import { isGatewayAt } from './hostConfig.ts';

/** A gateway that was trusted before, and the pin that was kept for its addresses. */
type Trusted = { url: string; otherUrl?: string | undefined; pin: string | null; username?: string };

/** How the user name of a profile begins whose token is no administrator's. */
export const API_TOKEN = 'API token ';

/** What an administrator may say by flags when signing in. */
export type SignInFlags = {
  username?: string | undefined;
  passwordStdin?: boolean | undefined;
  pin?: string | undefined;
  insecureHttp?: boolean | undefined;
};

/** Signs in to a gateway as its administrator, once it is known to be the right one. What was not said is asked for. */
export async function signIn(context: Context, url: string, flags: SignInFlags, before: Trusted | undefined) {
  refuseExposed(url, flags.insecureHttp === true);
  const pin = await trustedPin(context, { url, pin: flags.pin, before });
  const username = flags.username ?? (context.env['SALLYPORT_USERNAME'] || (await askUserName(context, before)));
  if (username === '') throw new Failure('usage', 'No user name was given.', 'Give it with --username.');
  const password = await passwordOf(context, flags.passwordStdin === true);
  const client = await context.connect({ url, pin });
  try {
    const session = await client.session.login({ body: { username, password } }, { signal: context.signal });
    return { pin, username, session };
  } catch (error) {
    if (isApiError(error, 'unauthorized')) {
      throw new Failure('signedOut', 'The user name or the password is wrong.', 'Try again.', { cause: error });
    }
    throw isApiError(error, 'missing') ? notAGateway(url, error) : error;
  }
}

/** Who signed in the last time is proposed; an API token is no administrator. */
function askUserName({ io }: Context, before: Trusted | undefined): Promise<string> {
  const former = before?.username?.startsWith(API_TOKEN) === true ? undefined : before?.username;
  return former === undefined || !io.canAsk ? io.ask('user name') : io.askOr('user name', former);
}

/** Refuses to send a secret where it could be read on the way, unless that is wanted. */
export function refuseExposed(url: string, isWanted: boolean): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' || isLoopbackHost(hostname) || isWanted) return;
  throw new Failure(
    'usage',
    `${url} is plain HTTP, so the password or token could be read on the way.`,
    'Use its https address, or --insecure-http on a network that you trust.',
  );
}

/** The administrator's password: standard input when that was said, else SALLYPORT_PASSWORD, else asked for. */
async function passwordOf({ io, env }: Context, fromStdin: boolean): Promise<string> {
  const given = fromStdin && !io.stdinIsTerminal ? await io.readSecret() : null;
  const password = given?.reveal() ?? (fromStdin ? undefined : env['SALLYPORT_PASSWORD']);
  const typed = password ?? (await io.askSecret('password')).reveal();
  if (typed === '') throw new Failure('usage', 'The password is empty.', 'Run the command again.');
  return typed;
}

const notAGateway = (url: string, cause: unknown): Failure =>
  new Failure('unreachable', `What answers at ${url} is not a Sallyport gateway.`, 'Check the address.', { cause });

/** The flag that names the one certificate to trust. */
export const pinFlag = {
  flags: { pin: z.optional(z.string()) },
  help: {
    pin: {
      text: 'trust this one certificate, by the fingerprint that the gateway prints when it starts',
      value: 'sha256',
    },
  },
};

/** The flags that say where a node's token comes from, unless it is SALLYPORT_TOKEN or asked for. */
export const tokenFlags = {
  flags: { tokenStdin: z.optional(z.boolean()), tokenFile: z.optional(z.string()) },
  help: {
    tokenStdin: { text: "read the node's token from standard input" },
    tokenFile: { text: "read the node's token from a file", value: 'file' },
  },
};

const TOKEN = /^[\x21-\x7e]{8,4096}$/;

type TokenFlags = { tokenStdin?: boolean | undefined; tokenFile?: string | undefined };

/** Whether a token was given without a question. */
export const isTokenGiven = ({ env }: Context, flags: TokenFlags): boolean =>
  flags.tokenStdin === true || flags.tokenFile !== undefined || Boolean(env['SALLYPORT_TOKEN']);

/** The node's token: from standard input, a file, SALLYPORT_TOKEN, else asked for without showing it. */
export async function givenToken(context: Context, { tokenStdin, tokenFile }: TokenFlags): Promise<Secret> {
  const { io, env } = context;
  if (tokenStdin && tokenFile !== undefined) {
    throw new Failure('usage', 'The token comes from standard input or from a file.', 'Leave one of the two out.');
  }
  const token = await (async () => {
    if (tokenFile !== undefined) return new Secret(readSecretFile(tokenFile, 'token'));
    if (tokenStdin && !io.stdinIsTerminal) return io.readSecret();
    if (!tokenStdin && env['SALLYPORT_TOKEN']) return new Secret(env['SALLYPORT_TOKEN']);
    return io.askSecret('token of the node');
  })();
  const text = token.reveal().trim();
  if (TOKEN.test(text)) return new Secret(text);
  throw new Failure(
    'usage',
    text === '' ? 'The token is empty.' : 'What was given is not a token.',
    "The console shows a node's token when the node is made; a new one is on the node's page.",
  );
}

function readSecretFile(path: string, what: 'token' | 'code'): string {
  try {
    return readFileSync(path, 'utf8').slice(0, 65_536);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new Failure('usage', `The ${what} could not be read from ${path} (${code}).`, `Check --${what}-file.`, {
      cause: error,
    });
  }
}

/** The code of a join key from a file, also that of SALLYPORT_CODE_FILE; null: it is to be asked for. @throws {Failure} */
export function codeOfFile({ env }: Context, codeFile: string | undefined): string | null {
  const file = codeFile ?? env['SALLYPORT_CODE_FILE'];
  if (!file) return null;
  const code = readSecretFile(file, 'code').trim();
  if (code === '') throw new Failure('usage', `There is no code in ${file}.`, NEXT_TO_LINE);
  return code;
}

const NEXT_TO_LINE = 'The console shows it next to the line.';

/** The code of a join key, asked for without showing it. @throws {WrongCode} where nothing was entered */
export async function askedCode({ io }: Context): Promise<string> {
  const code = (await io.askSecret('code that the gateway shows')).reveal().trim();
  if (code === '') throw new WrongCode('usage', 'No code was entered.', NEXT_TO_LINE);
  return code;
}

/** What was entered as the code of a join key is none, or none that can be used. */
export class WrongCode extends Failure {}

/** By which the gateway knows a host that asks again, because the answer was lost. */
export const newClaim = (): string => randomUUID();

/** What says which certificate to trust: `--pin`, else what was kept for this very address. */
type PinParts = { url: string; pin: string | undefined; before: Trusted | undefined };

/** The pin that was given, or else kept; a pin goes with one address, and for another one it might be believed. */
export function givenPin({ url, pin, before }: PinParts): string | null {
  if (pin === undefined) return isGatewayAt(before, url) ? (before?.pin ?? null) : null;
  if (url.startsWith('https:')) return pinOf(pin);
  throw new Failure('usage', `${url} is plain HTTP and has no certificate to pin.`, 'Use its https address.');
}

/**
 * Makes sure that what answers at `url` is a gateway, and one that is trusted, before a secret is asked for. A certificate
 * that this machine does not trust is shown by its fingerprint and trusted when the user at the terminal says so; scripts
 * say it with `--pin`.
 * @returns the pin of the one key to trust from now on, or null where certificates are verified as usual.
 */
export async function trustedPin(context: Context, parts: PinParts): Promise<string | null> {
  const { url } = parts;
  const kept = givenPin(parts);
  let trusted = kept;
  const refused = await answerOf(context, url, kept, (renewed) => (trusted = renewed));
  if (refused === null) return trusted;
  if (kept !== null || !isUntrusted(refused)) throw refused;
  const found = await shownCertificate(url, context.signal).catch(() => {
    throw refused;
  });
  const shown = found.fingerprint.match(/../g)?.join(':') ?? found.fingerprint;
  const untrusted = `The certificate of ${url} is not signed by an authority that this machine trusts. Its SHA-256 fingerprint is`;
  if (!context.io.canAsk) {
    throw new Failure(
      'unreachable',
      `${untrusted} ${shown}.`,
      'If `sallyport-gateway check` shows the same on its machine, run the command again with --pin and the fingerprint.',
      { cause: refused },
    );
  }
  context.io.say(untrusted, `  ${shown}`, 'On its machine `sallyport-gateway check` shows its own: compare the two.');
  if (!(await context.io.confirm('Trust this certificate from now on?'))) {
    throw new Failure('unreachable', 'The certificate was not trusted.', 'Nothing was sent and nothing was kept.');
  }
  // It may have changed while the user was reading.
  const again = await answerOf(context, url, found.keyPin);
  if (again !== null) throw again;
  return found.keyPin;
}

/** How long an address may take to say who is there. */
const CONTACT_MAX_MS = 10_000;

/** Whether the gateway of this pin answers at another address as well. */
export const isSameGateway = async (context: Context, url: string, pin: string): Promise<boolean> =>
  url.startsWith('https:') && (await answerOf(context, url, pin)) === null;

/** Asks who is there by what anyone may ask. Null: a gateway, however it is; else why it cannot be used. */
async function answerOf(
  context: Context,
  url: string,
  pin: string | null,
  renewPin: (pin: string) => void = () => undefined,
): Promise<Error | null> {
  const client = await context.connect({ url, pin, renewPin });
  try {
    await client.system.health({}, { signal: context.signal, timeoutMs: CONTACT_MAX_MS });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) return error instanceof Error ? error : new Error(String(error));
    if (['throttled', 'server'].includes(error.kind)) return null;
    return ['missing', 'mismatch'].includes(error.kind) ? notAGateway(url, error) : error;
  }
}
