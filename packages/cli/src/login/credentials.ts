import { ApiError } from '@sallyport/sdk';
import type { Context } from '../context.ts';
import { Failure, isExposed } from '../context.ts';

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
