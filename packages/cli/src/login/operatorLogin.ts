import { ApiError, printable, sessionSeconds } from '@sallyport/sdk';
import type { Context } from '../context.ts';
import { Failure, gatewayUrl, isExposed } from '../context.ts';
import { jsonText } from '../ui/json.ts';
import { trustedPin } from './trust.ts';

/** What an operator may say by flags. */
export type OperatorLogin = {
  username?: string | undefined;
  passwordStdin?: boolean | undefined;
  pin?: string | undefined;
  insecureHttp?: boolean | undefined;
};

/** Signs an operator in and keeps the session in the user's own configuration directory. */
export async function operatorLogin(context: Context, flags: OperatorLogin): Promise<void> {
  const { io, profileName } = context;
  const config = await context.config();
  const before = config.get(profileName);
  const url = context.givenUrl() ?? before?.url ?? gatewayUrl(await io.ask('address of the gateway'));
  if (isExposed(url) && !flags.insecureHttp) {
    throw new Failure(
      'usage',
      `${url} is plain HTTP, so the password could be read on the way.`,
      'Use its https address, or --insecure-http on a network that you trust.',
    );
  }
  if (flags.pin !== undefined && !url.startsWith('https:')) {
    throw new Failure('usage', `${url} is plain HTTP and has no certificate to pin.`, 'Use its https address.');
  }
  // A pin goes with one address; for another one it would be refused, or worse, believed.
  const kept = before?.url === url ? before.pin : null;
  const pin = await trustedPin(context, { url, pin: flags.pin, before: kept });
  const username = flags.username ?? (context.env['SALLYPORT_USERNAME'] || (await io.ask('user name')));
  if (username === '') throw new Failure('usage', 'No user name was given.', 'Give it with --username.');
  const password = await passwordOf(context, flags.passwordStdin === true);
  const client = await context.connect({ url, pin });
  const session = await client.session
    .login({ body: { username, password } }, { signal: context.signal })
    .catch((error: unknown) => {
      throw refusal(error, url);
    });
  const seconds = sessionSeconds(session);
  const expiresAt = seconds === null ? null : new Date(context.now().getTime() + seconds * 1000).toISOString();
  config.set(profileName, { url, username, token: session.token, expiresAt, pin });
  io.say(`Signed in to ${url} as ${printable(username)}${expiresAt === null ? '' : ` until ${expiresAt}`}.`);
  if (context.globals.json) await io.print(jsonText({ profile: profileName, url, username, expiresAt }, 2));
}

async function passwordOf({ io, env }: Context, fromStdin: boolean): Promise<string> {
  const given = fromStdin && !io.stdinIsTerminal ? await io.readSecret() : null;
  const password = given?.reveal() ?? (fromStdin ? undefined : env['SALLYPORT_PASSWORD']);
  const typed = password ?? (await io.askSecret('password')).reveal();
  if (typed === '') throw new Failure('usage', 'The password is empty.', 'Run the command again.');
  return typed;
}

/** A refused sign-in in words that fit it; everything else as it is. */
function refusal(error: unknown, url: string): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.kind === 'unauthorized') {
    return new Failure('signedOut', 'The user name or the password is wrong.', 'Try again.', { cause: error });
  }
  if (error.kind === 'missing') {
    return new Failure('unreachable', `What answers at ${url} is not a Sallyport gateway.`, 'Check the address.', {
      cause: error,
    });
  }
  return error;
}
