import { isApiError } from '@sallyport/sdk';
import { API_TOKEN_PREFIX } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../context.ts';
import { Failure } from '../failure.ts';
import { profileColumns } from '../ui/columns.ts';
import { showPage } from '../ui/show.ts';

export const list = command({
  description:
    'List the profiles: the gateways that this user is signed in to. Piped it is one line a profile, with tabs between: name, address, user, end of the session (ISO 8601), fingerprint of the trusted certificate. No gateway is asked.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sallyport profile list'],
  async run(context) {
    const profiles = (await context.config()).all();
    const data = Object.entries(profiles).map(([name, { url, username, expiresAt, pin }]) => ({
      name,
      url,
      username,
      expiresAt,
      pin,
    }));
    const page = { data, page: 1, limit: data.length, total: data.length };
    await showPage(context, profileColumns(context.now()), page, 'profiles');
  },
});

export const logout = command({
  description: 'End the session at the gateway, then forget it here.',
  flags: z.strictObject({ forget: z.optional(z.boolean()) }),
  help: { forget: { text: 'only forget it here; the gateway is not asked' } },
  examples: ['sallyport logout', 'sallyport logout --profile staging'],
  async run(context, { forget }) {
    const { io, profileName, signal } = context;
    const config = await context.config();
    const profile = config.get(profileName);
    if (!profile) {
      io.say(`Profile "${profileName}" is not signed in.`);
      return io.answer({ profile: profileName, url: null });
    }
    // It is not this profile's alone: other machines may use it, and only its deletion ends it.
    const isApiToken = profile.token.reveal().startsWith(API_TOKEN_PREFIX);
    if (!forget && !isApiToken) {
      const client = await context.connect(profile);
      await client.session.logout({}, { signal }).catch((error: unknown) => {
        // A token that is refused has ended already.
        if (isApiError(error, 'unauthorized')) return;
        if (!isApiError(error, 'unreachable')) throw error;
        throw new Failure(
          'unreachable',
          `${profile.url} cannot be reached, so the session was not ended.`,
          'Try again later, or forget it here alone with `sallyport logout --forget`.',
          { cause: error },
        );
      });
    }
    config.remove(profileName);
    if (isApiToken) {
      io.say(`Forgot the API token for ${profile.url}. \`sallyport api-token delete\` makes it useless everywhere.`);
    } else io.say(forget ? `Forgot the session with ${profile.url}.` : `Signed out of ${profile.url}.`);
    return io.answer({ profile: profileName, url: profile.url });
  },
});
