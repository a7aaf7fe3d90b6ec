import { isApiError } from '@sallyport/sdk';
import * as z from 'zod/mini';
import { Failure, command } from '../context.ts';
import { jsonText } from '../ui/json.ts';

export const logout = command({
  description: 'End the session at the gateway, then forget it here.',
  flags: z.strictObject({ forget: z.optional(z.boolean()) }),
  help: { forget: { text: 'only forget it here; the gateway is not asked' } },
  examples: ['sallyport logout', 'sallyport logout --profile staging'],
  async run(context, { forget }) {
    const { io, globals, profileName, signal } = context;
    const answer = async (url: string | null) => {
      if (globals.json) await io.print(jsonText({ profile: profileName, url }, 2));
    };
    const config = await context.config();
    const profile = config.get(profileName);
    if (!profile) {
      io.say(`Profile "${profileName}" is not signed in.`);
      return answer(null);
    }
    if (!forget) {
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
    io.say(forget ? `Forgot the session with ${profile.url}.` : `Signed out of ${profile.url}.`);
    return answer(profile.url);
  },
});
