import { sessionSeconds } from '@sallyport/sdk';
import type { Context } from '../context.ts';
import { Failure, gatewayUrl } from '../context.ts';
import { jsonText } from '../ui/json.ts';
import { passwordOf, refuseExposed, signInRefusal, usernameOf } from './credentials.ts';
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
  refuseExposed(url, flags.insecureHttp === true);
  if (flags.pin !== undefined && !url.startsWith('https:')) {
    throw new Failure('usage', `${url} is plain HTTP and has no certificate to pin.`, 'Use its https address.');
  }
  // A pin goes with one address; for another one it would be refused, or worse, believed.
  const kept = before?.url === url ? before.pin : null;
  const pin = await trustedPin(context, { url, pin: flags.pin, before: kept });
  const username = await usernameOf(context, flags.username);
  const password = await passwordOf(context, flags.passwordStdin === true);
  const client = await context.connect({ url, pin });
  const session = await client.session
    .login({ body: { username, password } }, { signal: context.signal })
    .catch((error: unknown) => {
      throw signInRefusal(error, url);
    });
  const seconds = sessionSeconds(session);
  const expiresAt = seconds === null ? null : new Date(context.now().getTime() + seconds * 1000).toISOString();
  config.set(profileName, { url, username, token: session.token, expiresAt, pin });
  io.say(`Signed in to ${url} as ${username}${expiresAt === null ? '' : ` until ${expiresAt}`}.`);
  if (context.globals.json) await io.print(jsonText({ profile: profileName, url, username, expiresAt }, 2));
}
