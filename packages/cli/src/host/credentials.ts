import { readFileSync } from 'node:fs';
import { ApiError } from '@sallyport/sdk';
import { type Context, Failure, isExposed } from '../context.ts';
import { Secret } from '../secret.ts';

/** Refuses to send a secret where it could be read on the way, unless that is wanted. */
export function refuseExposed(url: string, isWanted: boolean): void {
  if (!isExposed(url) || isWanted) return;
  throw new Failure(
    'usage',
    `${url} is plain HTTP, so the password could be read on the way.`,
    'Use its https address, or --insecure-http on a network that you trust.',
  );
}

/** The administrator's name: the flag, else SALLYPORT_USERNAME, else asked for. */
export async function usernameOf({ env, io }: Context, flag: string | undefined): Promise<string> {
  const username = flag ?? (env['SALLYPORT_USERNAME'] || (await io.ask('user name')));
  if (username === '') throw new Failure('usage', 'No user name was given.', 'Give it with --username.');
  return username;
}

/** The administrator's password: standard input when that was said, else SALLYPORT_PASSWORD, else asked for. */
export async function passwordOf({ io, env }: Context, fromStdin: boolean): Promise<string> {
  const given = fromStdin && !io.stdinIsTerminal ? await io.readSecret() : null;
  const password = given?.reveal() ?? (fromStdin ? undefined : env['SALLYPORT_PASSWORD']);
  const typed = password ?? (await io.askSecret('password')).reveal();
  if (typed === '') throw new Failure('usage', 'The password is empty.', 'Run the command again.');
  return typed;
}

/** A refused sign-in in words that fit it; everything else as it is. */
export function signInRefusal(error: unknown, url: string): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.kind === 'unauthorized') {
    return new Failure('signedOut', 'The user name or the password is wrong.', 'Try again.', { cause: error });
  }
  if (error.kind === 'missing') return notAGateway(url, error);
  return error;
}

/** What answers at an address is something else. */
export const notAGateway = (url: string, cause: unknown): Failure =>
  new Failure('unreachable', `What answers at ${url} is not a Sallyport gateway.`, 'Check the address.', { cause });

const TOKEN = /^[\x21-\x7e]{8,4096}$/;

/** Where a node's token may come from, next to SALLYPORT_TOKEN and the prompt. */
export type TokenFlags = { tokenStdin?: boolean | undefined; tokenFile?: string | undefined };

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
    if (tokenFile !== undefined) return new Secret(readToken(tokenFile));
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

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, 65_536);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new Failure('usage', `The token could not be read from ${path} (${code}).`, 'Check --token-file.', {
      cause: error,
    });
  }
}
